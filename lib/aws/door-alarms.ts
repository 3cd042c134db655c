/** Alarms for the entry points of requests. Failures of providers raise no alarm, unless the operator can fix them. */

import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Door } from '../../lambdas/platform/metrics.ts';
import type { Alarms } from './alarms.ts';
import { metricOfDoor, ownMetric } from './own-metrics.ts';

/** Requests in five minutes below which the error rate says nothing: a single failure would exceed two percent. */
const FEW_REQUESTS = 50;
/** One failure may be chance; three in five minutes are not. */
const MANY_FAULTS = 3;

export interface WatchedDoor {
  namespace: string;
  door: Exclude<Door, 'web'>;
  /** Name in the text of the alarm. */
  name: string;
  /** Counts per five minutes, from AWS. */
  requests: Metric;
  failures: Metric;
}

/**
 * Alarm on the share of requests that end with a 5xx, excluding failures of providers. Ignores periods with few
 * requests.
 */
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
    says: `More than 2 % of requests to ${name} end with a 5xx that is not caused by a provider.`,
    runbook: '5xx',
  });
}

/** Uses the gateway's own count of faults, because no 5xx metric of AWS for the server is known. */
export function addServerFaultsAlarm(alarms: Alarms, namespace: string): void {
  alarms.add('ServerFaultsAlarm', metricOfDoor(namespace, 'Faults', 'web'), {
    threshold: MANY_FAULTS,
    severity: 'Urgent',
    says: 'Requests to the server end with faults of the gateway itself.',
    runbook: 'The server',
  });
}

/**
 * Alarm on rejections that concern the operator's account at a provider. Clients do not see them if another endpoint
 * answers.
 */
export function addOperatorAlarm(alarms: Alarms, namespace: string): void {
  alarms.add('OperatorNeededAlarm', ownMetric(namespace, 'OperatorNeeded'), {
    severity: 'Soon',
    says: 'A provider rejects the operator’s credentials or account, or lacks a model of the catalog.',
    runbook: 'Providers that refuse the operator',
  });
}
