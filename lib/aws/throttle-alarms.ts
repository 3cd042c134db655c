import { Annotations, Duration, type Stack } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { tableDefinition } from '../shared/table-definition.ts';
import type { Alarms } from './alarms.ts';
import type { GatewayTable } from './data-stack.ts';

/** Number of throttled requests in five minutes at which an alarm is raised. */
const MANY_THROTTLES = 10;
/** Number of write conflicts in five minutes at which an alarm is raised: ten per second. */
const MANY_CONFLICTS = 3_000;
/** Share of the account's concurrency at which an alarm is raised. */
const NEARLY_ALL = 0.8;

const sum = { period: Duration.minutes(5), statistic: 'Sum' };
const lasting = { threshold: MANY_THROTTLES, evaluationPeriods: 3, datapointsToAlarm: 2 };
const text = { severity: 'Urgent', runbook: 'Throttling' } as const;

const MAX_METRICS = 10;

/** Adds alarms on throttling of the given functions, each for at most ten functions. */
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
 * Adds an alarm on the account's used concurrency, including reservations.
 * @param concurrency quota of the account; if undefined, a warning replaces the alarm
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
 * Returns a count of the table's events that is 0 in a period without events. An alarm on the metric itself could stay
 * raised after the last event: CloudWatch may ignore missing values of DynamoDB's metrics, whatever the alarm says
 * about them.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html (TreatMissingData)
 */
function eventsOf(metric: Metric): MathExpression {
  return new MathExpression({
    expression: 'FILL(events, 0)',
    usingMetrics: { events: metric },
    period: metric.period,
  });
}

/**
 * Adds alarms on throttling of the table and its indexes, and on write conflicts. If writes to an index are throttled,
 * writes to the table fail.
 */
export function addTableAlarms(alarms: Alarms, table: GatewayTable): void {
  for (const metric of ['WriteThrottleEvents', 'ReadThrottleEvents'] as const) {
    alarms.add(`Table${metric}Alarm`, eventsOf(table.metric(metric, sum)), {
      ...text,
      ...lasting,
      says: 'The table throttles calls because of missing throughput.',
    });
    for (const { name } of tableDefinition.indexes) {
      const dimensionsMap = { TableName: table.tableName, GlobalSecondaryIndexName: name };
      alarms.add(`Index${metric}Alarm`, eventsOf(table.metric(metric, { ...sum, dimensionsMap })), {
        ...text,
        ...lasting,
        says: `The index ${name} throttles calls because of missing throughput.`,
      });
    }
  }
  alarms.add('TableConflictsAlarm', eventsOf(table.metric('TransactionConflict', sum)), {
    threshold: MANY_CONFLICTS,
    evaluationPeriods: 2,
    severity: 'Soon',
    says: 'Many requests write one counter at the same time.',
    runbook: 'Throttling',
  });
}
