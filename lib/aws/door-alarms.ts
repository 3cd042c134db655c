/** Alarms for the ways by which requests come in. Failures of providers raise none of them, except those that the operator can end. */

import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Door } from '../../lambdas/platform/metrics.ts';
import type { Alarms } from './alarms.ts';
import { metricOfDoor, ownMetric } from './own-metrics.ts';

/** In five minutes: of fewer, one failure is more than two percent. */
const FEW_REQUESTS = 50;
/** One mistake may be chance, and three in five minutes are not. */
const MANY_FAULTS = 3;

export interface WatchedDoor {
  namespace: string;
  door: Exclude<Door, 'web'>;
  /** As the alarm names it. */
  name: string;
  /** In five minutes, as AWS counts them. */
  requests: Metric;
  failures: Metric;
}

/** For the part of requests that end with a 5xx, without those that a provider has failed; few requests say nothing. */
export function addErrorsAlarm(alarms: Alarms, id: string, { namespace, door, name, ...counts }: WatchedDoor): void {
  const errors = new MathExpression({
    expression: `IF(requests > ${FEW_REQUESTS}, (failures - FILL(providers, 0)) / requests, 0)`,
    usingMetrics: { ...counts, providers: metricOfDoor(namespace, 'ProviderFailed', door) },
    period: counts.requests.period,
  });
  alarms.add(id, errors, {
    threshold: 0.02,
    evaluationPeriods: 2,
    severity: 'Urgent',
    says: `More than 2 % of requests to ${name} end with a 5xx that is no failure of a provider.`,
    runbook: '5xx',
  });
}

/** AWS counts no 5xx of a server that is known here, so its own count of faults has to do. */
export function addServerFaultsAlarm(alarms: Alarms, namespace: string): void {
  alarms.add('ServerFaultsAlarm', metricOfDoor(namespace, 'Faults', 'web'), {
    threshold: MANY_FAULTS,
    severity: 'Urgent',
    says: 'Requests to the server end with faults of the gateway itself.',
    runbook: 'The server',
  });
}

/** For what providers refuse to the operator: no client sees it where another endpoint answers. */
export function addOperatorAlarm(alarms: Alarms, namespace: string): void {
  alarms.add('OperatorNeededAlarm', ownMetric(namespace, 'OperatorNeeded'), {
    severity: 'Soon',
    says: 'A provider refuses the operator, or does not have a model of the catalog.',
    runbook: 'Providers that refuse the operator',
  });
}
