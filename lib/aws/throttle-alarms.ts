import { Duration } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Alarms } from './alarms.ts';
import type { GatewayTable } from './data-stack.ts';

/** In five minutes: ten a second, from where on requests of one key feel it. */
const MANY_CONFLICTS = 3_000;

/** A growing deployment meets these first: Lambda's concurrency, the table's throughput, one item that all write. */
export function addThrottleAlarms(alarms: Alarms, table: GatewayTable, concurrency: number): void {
  const sum = { period: Duration.minutes(5), statistic: 'Sum' };
  alarms.add('FunctionThrottlesAlarm', LambdaFunction.metricAllThrottles(sum), {
    severity: 'Urgent',
    says: 'Lambda refuses requests for want of concurrency.',
    runbook: 'Throttling',
  });
  const most = LambdaFunction.metricAllConcurrentExecutions({ period: Duration.minutes(1), statistic: 'Maximum' });
  alarms.add('ConcurrencyAlarm', most, {
    threshold: Math.floor(0.8 * concurrency),
    evaluationPeriods: 3,
    severity: 'Urgent',
    says: 'Four fifths of the executions that AWS grants the account run at once.',
    runbook: 'Throttling',
  });
  for (const metric of ['WriteThrottleEvents', 'ReadThrottleEvents'] as const) {
    alarms.add(`Table${metric}Alarm`, table.metric(metric, sum), {
      severity: 'Urgent',
      says: 'The table refuses calls for want of throughput.',
      runbook: 'Throttling',
    });
  }
  alarms.add('TableConflictsAlarm', table.metric('TransactionConflict', sum), {
    threshold: MANY_CONFLICTS,
    evaluationPeriods: 2,
    severity: 'Soon',
    says: 'Many requests write one counter at once.',
    runbook: 'Throttling',
  });
}
