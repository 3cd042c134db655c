import type { ItemJson } from './item-units.ts';

export interface Refusal {
  status: number;
  body: { __type: string } & Record<string, unknown>;
}

const SERVICE = 'com.amazonaws.dynamodb.v20120810';

/** Message for a table or index in on-demand mode. */
const ON_DEMAND_MESSAGE =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html';
const PROVISIONED_MESSAGE =
  'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.';
const CONFLICT_MESSAGE = 'Transaction is ongoing for the item';

export interface CancellationReason {
  Code: string;
  Message?: string;
  Item?: ItemJson;
}

export const noReason: CancellationReason = { Code: 'None' };
export const conflictReason: CancellationReason = { Code: 'TransactionConflict', Message: CONFLICT_MESSAGE };
export const throttlingReason: CancellationReason = { Code: 'ThrottlingError', Message: ON_DEMAND_MESSAGE };
export const provisionedReason: CancellationReason = {
  Code: 'ProvisionedThroughputExceeded',
  Message: PROVISIONED_MESSAGE,
};

export function transactionCanceled(reasons: CancellationReason[]): Refusal {
  const codes = reasons.map(({ Code: code }) => code).join(', ');
  return refused('TransactionCanceledException', {
    CancellationReasons: reasons,
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
  });
}

export const transactionConflict = refused('TransactionConflictException', { message: CONFLICT_MESSAGE });

export const transactionInProgress = refused('TransactionInProgressException', {
  Message: 'The transaction with the given request token is already in progress.',
});

/** Returns the error for exceeded throughput. */
export function throttling({ table, operation }: { table: string; operation: 'Read' | 'Write' }): Refusal {
  return {
    status: 400,
    body: {
      __type: 'com.amazon.coral.availability#ThrottlingException',
      message: ON_DEMAND_MESSAGE,
      throttlingReasons: [throttledResource(table, operation)],
    },
  };
}

export function provisionedThroughputExceeded(of: { table: string; operation: 'Read' | 'Write' }): Refusal {
  return refused('ProvisionedThroughputExceededException', {
    message: PROVISIONED_MESSAGE,
    ThrottlingReasons: [throttledResource(of.table, of.operation)],
  });
}

function throttledResource(table: string, operation: 'Read' | 'Write') {
  return {
    reason: `Table${operation}KeyRangeThroughputExceeded`,
    resource: `arn:aws:dynamodb:local:000000000000:table/${table}`,
  };
}

export const internalServerError: Refusal = {
  status: 500,
  body: { __type: `${SERVICE}#InternalServerError`, message: 'Internal server error' },
};

function refused(name: string, details: Record<string, unknown>): Refusal {
  return { status: 400, body: { __type: `${SERVICE}#${name}`, ...details } };
}
