import { NumberValueImpl } from '@aws-sdk/util-dynamodb';
import { Money } from '../../money/money.ts';
import type { AwsCall } from '../../platform/aws/aws-call.ts';
import { ownIdentity } from '../../platform/aws/aws-identity.ts';
import { openAwsJson } from '../../platform/aws/aws-json.ts';
import { optionalVariable, requireVariable, variables } from '../../platform/environment.ts';

/** The single table. */
export interface Table {
  readonly name: string;
  /** Makes the calls of the store (calls.ts). */
  readonly call: AwsCall;
  /** Set for an emulator. */
  readonly endpoint: string | undefined;
}

/** An item as read: every Number is its exact decimal text, because a JS number would round money. */
export type Item = Record<string, unknown>;

interface TableOptions {
  endpoint?: string;
  name?: string;
}

/**
 * Opens the table named by the environment. Connections are kept alive. Every call retries throttling and server
 * errors; `transact` retries conflicts of transactions.
 */
export function openTable(options: TableOptions = {}): Table {
  const endpoint = options.endpoint ?? optionalVariable(variables.dynamodbEndpoint);
  return tableAt(options.name ?? requireVariable(variables.tableName), endpoint);
}

const DYNAMODB = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  address: { id: 'DynamoDB', host: 'dynamodb', isPlainInGovCloud: true },
};

/**
 * A table independent of the environment.
 * @param endpoint of an emulator; without one the table is on AWS
 */
export function tableAt(name: string, endpoint?: string): Table {
  return { name, endpoint, call: openAwsJson(DYNAMODB, { endpoint, identity: ownIdentity }) };
}

/** Money as a DynamoDB Number with its exact digits. */
export function moneyAttribute(amount: Money): NumberValueImpl {
  return NumberValueImpl.from(amount.toString());
}

/** DynamoDB may return small numbers in scientific notation ("1E-7"). */
export function moneyFrom(value: unknown): Money {
  return value === undefined ? Money.zero : Money.parseNumber(value as string);
}

export function numberFrom(value: unknown): number {
  return value === undefined ? 0 : Number(value);
}

/** The sparse index. It is eventually consistent on AWS, so no decision about money reads it. */
export const indexes = {
  /** Pending generations by the moment their hold may be swept. */
  sweep: { name: 'sweep', partition: 'sweep_shard', sort: 'sweep_at' },
} as const;

/** Attribute by which DynamoDB itself deletes short-lived items (epoch seconds). */
export const TTL_ATTRIBUTE = 'expires_at_seconds';
