/**
 * Alarms on the limits that a growing deployment reaches first: Lambda's concurrency, the table's throughput, and
 * writes to one item.
 */

import { Annotations, Duration, type Stack } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { tableDefinition } from '../shared/table-definition.ts';
import type { Alarms } from './alarms.ts';
import type { GatewayTable } from './data-stack.ts';

/**
 * Number of throttled requests in five minutes at which an alarm is raised. A smaller number affects at most a few
 * clients: throttled calls of the table and of workers are retried.
 */
const MANY_THROTTLES = 10;
/**
 * Number of write conflicts in five minutes at which an alarm is raised. At this rate, ten conflicts per second,
 * requests of one key become slower.
 */
const MANY_CONFLICTS = 3_000;
/** Share of the account's concurrency at which an alarm is raised. */
const NEARLY_ALL = 0.8;

const sum = { period: Duration.minutes(5), statistic: 'Sum' };
const lasting = { threshold: MANY_THROTTLES, evaluationPeriods: 3, datapointsToAlarm: 2 };
const text = { severity: 'Urgent', runbook: 'Throttling' } as const;

/** Maximum number of metrics in one alarm. */
const MAX_METRICS = 10;

/**
 * Adds alarms on throttling of the given functions. Each alarm covers at most ten functions. Other functions of the
 * account do not count.
 */
export function addThrottleAlarms(alarms: Alarms, of: string, lambdas: readonly LambdaFunction[]): void {
  for (let from = 0; from < lambdas.length; from += MAX_METRICS) {
    const metrics = lambdas
      .slice(from, from + MAX_METRICS)
      .map((lambda, index) => [`throttles${index}`, lambda.metricThrottles(sum)] as const);
    const expression = metrics.map(([id]) => `FILL(${id}, 0)`).join(' + ');
    const usingMetrics = Object.fromEntries<Metric>(metrics);
    const all = new MathExpression({ expression, usingMetrics, period: sum.period });
    alarms.add(`${of}ThrottlesAlarm${from === 0 ? '' : from / MAX_METRICS + 1}`, all, {
      ...text,
      ...lasting,
      says: `Lambda throttles functions because of missing concurrency (${of.toLowerCase()}).`,
    });
  }
}

/**
 * Adds an alarm on the account's used concurrency: executions of functions without a reservation, plus all
 * reservations.
 * @param concurrency quota of the account; if unknown, a warning replaces the alarm
 */
export function addConcurrencyAlarm(stack: Stack, alarms: Alarms, concurrency: number | undefined): void {
  if (concurrency === undefined) {
    Annotations.of(stack).addWarningV2(
      'model-gateway:concurrency-not-known',
      'Workers reserve no concurrency, and no alarm is raised before it runs out. Set gateway:concurrency to the number that ' +
        '`aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions` prints.',
    );
    return;
  }
  const claimed = LambdaFunction.metricAll('ClaimedAccountConcurrency', {
    period: Duration.minutes(1),
    statistic: 'Maximum',
  });
  alarms.add('ConcurrencyAlarm', claimed, {
    ...text,
    threshold: Math.floor(NEARLY_ALL * concurrency),
    evaluationPeriods: 3,
    says: 'Four fifths of the account’s concurrent executions are in use.',
  });
}

/**
 * Adds alarms on throttling of the table and its indexes, and on write conflicts. An index has its own limits and
 * metrics, and if an index is throttled, writes to the table fail.
 */
export function addTableAlarms(alarms: Alarms, table: GatewayTable): void {
  for (const metric of ['WriteThrottleEvents', 'ReadThrottleEvents'] as const) {
    alarms.add(`Table${metric}Alarm`, table.metric(metric, sum), {
      ...text,
      ...lasting,
      says: 'The table throttles calls because of missing throughput.',
    });
    for (const { name } of tableDefinition.indexes) {
      const dimensionsMap = { TableName: table.tableName, GlobalSecondaryIndexName: name };
      alarms.add(`Index${metric}Alarm`, table.metric(metric, { ...sum, dimensionsMap }), {
        ...text,
        ...lasting,
        says: `The index ${name} throttles calls because of missing throughput.`,
      });
    }
  }
  alarms.add('TableConflictsAlarm', table.metric('TransactionConflict', sum), {
    threshold: MANY_CONFLICTS,
    evaluationPeriods: 2,
    severity: 'Soon',
    says: 'Many requests write one counter at the same time.',
    runbook: 'Throttling',
  });
}
