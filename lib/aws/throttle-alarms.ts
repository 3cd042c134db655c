/** A growing deployment meets these limits first: Lambda's concurrency, the table's throughput, one item that many requests write. */

import { Annotations, Duration, type Stack } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { tableDefinition } from '../shared/table-definition.ts';
import type { Alarms } from './alarms.ts';
import type { GatewayTable } from './data-stack.ts';

/** In five minutes. Fewer refused calls are retried, and no client notices them. */
const MANY_THROTTLES = 10;
/** In five minutes: ten a second, from where on requests of one key feel it. */
const MANY_CONFLICTS = 3_000;
/** Part of the account's concurrency. */
const NEARLY_ALL = 0.8;

const sum = { period: Duration.minutes(5), statistic: 'Sum' };
const lasting = { threshold: MANY_THROTTLES, evaluationPeriods: 3, datapointsToAlarm: 2 };
const words = { severity: 'Urgent', runbook: 'Throttling' } as const;

/** For these functions alone: other functions of the account are the concern of others. An alarm takes ten metrics at most. */
export function addThrottlesAlarm(alarms: Alarms, of: string, lambdas: readonly LambdaFunction[]): void {
  const metrics = lambdas.map((lambda, index) => [`throttles${index}`, lambda.metricThrottles(sum)] as const);
  const expression = metrics.map(([id]) => `FILL(${id}, 0)`).join(' + ');
  const all = new MathExpression({ expression, usingMetrics: Object.fromEntries<Metric>(metrics), period: sum.period });
  alarms.add(`${of}ThrottlesAlarm`, all, {
    ...words,
    ...lasting,
    says: `Lambda refuses calls of functions for want of concurrency (${of.toLowerCase()}).`,
  });
}

/**
 * Claimed are executions of functions without a reservation, and all reservations of the account.
 * @param concurrency that AWS grants the account; a warning in place of the alarm if it is not known
 */
export function addConcurrencyAlarm(stack: Stack, alarms: Alarms, concurrency: number | undefined): void {
  if (concurrency === undefined) {
    Annotations.of(stack).addWarningV2(
      'model-gateway:concurrency-not-known',
      'Workers reserve no concurrency, and no alarm is raised before it runs out: set gateway:concurrency to the number that ' +
        '`aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions` prints.',
    );
    return;
  }
  const claimed = LambdaFunction.metricAll('ClaimedAccountConcurrency', {
    period: Duration.minutes(1),
    statistic: 'Maximum',
  });
  alarms.add('ConcurrencyAlarm', claimed, {
    ...words,
    threshold: Math.floor(NEARLY_ALL * concurrency),
    evaluationPeriods: 3,
    says: 'Four fifths of the executions that AWS grants the account are taken.',
  });
}

/** An index has limits and a metric of its own, and one that is throttled refuses writes to its table. */
export function addTableAlarms(alarms: Alarms, table: GatewayTable): void {
  for (const metric of ['WriteThrottleEvents', 'ReadThrottleEvents'] as const) {
    alarms.add(`Table${metric}Alarm`, table.metric(metric, sum), {
      ...words,
      ...lasting,
      says: 'The table refuses calls for want of throughput.',
    });
    for (const { name } of tableDefinition.indexes) {
      const dimensionsMap = { TableName: table.tableName, GlobalSecondaryIndexName: name };
      alarms.add(`Index${metric}Alarm`, table.metric(metric, { ...sum, dimensionsMap }), {
        ...words,
        ...lasting,
        says: `The index ${name} refuses calls for want of throughput.`,
      });
    }
  }
  alarms.add('TableConflictsAlarm', table.metric('TransactionConflict', sum), {
    threshold: MANY_CONFLICTS,
    evaluationPeriods: 2,
    severity: 'Soon',
    says: 'Many requests write one counter at once.',
    runbook: 'Throttling',
  });
}
