import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { EntryPoint } from '../../lambdas/platform/metrics.ts';
import type { Alarms } from './alarms.ts';
import { entryPointMetric, ownMetric } from './own-metrics.ts';

/** Number of requests in five minutes up to which the error rate is ignored. */
const FEW_REQUESTS = 50;
/** Number of faults in five minutes at which the alarm is raised. */
const MANY_FAULTS = 3;

export interface WatchedEntryPoint {
  namespace: string;
  door: Exclude<EntryPoint, 'web'>;
  name: string;
  /** Requests in five minutes, counted by AWS, like `failures`. */
  requests: Metric;
  failures: Metric;
}

/**
 * Adds an alarm on the share of requests that end with a 5xx, except for failures of providers. Periods with few
 * requests are ignored.
 */
export function addErrorsAlarm(
  alarms: Alarms,
  id: string,
  { namespace, door, name, ...counts }: WatchedEntryPoint,
): void {
  const errors = new MathExpression({
    expression: `IF(requests > ${FEW_REQUESTS}, (failures - FILL(providers, 0)) / requests, 0)`,
    usingMetrics: { ...counts, providers: entryPointMetric(namespace, 'ProviderFailed', door) },
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

/**
 * Adds an alarm on faults of the server, by the gateway's own count.
 *
 * Weakness: the count omits responses that Lambda itself sends, for example after a crash of the process.
 */
export function addServerFaultsAlarm(alarms: Alarms, namespace: string): void {
  alarms.add('ServerFaultsAlarm', entryPointMetric(namespace, 'Faults', 'web'), {
    threshold: MANY_FAULTS,
    severity: 'Urgent',
    says: 'Requests to the server end with faults of the gateway itself.',
    runbook: 'The server',
  });
}

/**
 * Adds an alarm on provider rejections whose cause only the operator can fix, for example an invalid account. Clients
 * do not notice such rejections if another endpoint answers.
 */
export function addOperatorAlarm(alarms: Alarms, namespace: string): void {
  alarms.add('OperatorNeededAlarm', ownMetric(namespace, 'OperatorNeeded'), {
    severity: 'Soon',
    says: 'A provider rejects the operator’s credentials or account, or lacks a model of the catalog.',
    runbook: 'Providers that refuse the operator',
  });
}
