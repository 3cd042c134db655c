import { NumberValueImpl } from '@aws-sdk/util-dynamodb';
import { Money } from '../../money/money.ts';
import type { AwsCall } from '../../platform/aws/aws-call.ts';
import { ownIdentity } from '../../platform/aws/aws-identity.ts';
import { openAwsJson } from '../../platform/aws/aws-json.ts';
import { optionalVariable, requireVariable, variables } from '../../platform/environment.ts';

/** The gateway's only DynamoDB table. */
export interface Table {
  readonly name: string;
  /** Makes the DynamoDB calls of the store (calls.ts). */
  readonly call: AwsCall;
  /** URL of a DynamoDB emulator; undefined on AWS. */
  readonly endpoint: string | undefined;
}

/** An item. If it was read, every number is exact decimal text, because a JavaScript number would round money. */
export type Item = Record<string, unknown>;

interface TableOptions {
  endpoint?: string;
  name?: string;
}

/**
 * Opens the table that the environment names. Connections are kept alive. Every call retries throttling and server
 * errors; transact.ts retries conflicts of transactions.
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
 * Returns a table without reading the environment.
 * @param endpoint URL of a DynamoDB emulator; undefined for a table on AWS
 */
export function tableAt(name: string, endpoint?: string): Table {
  return { name, endpoint, call: openAwsJson(DYNAMODB, { endpoint, identity: ownIdentity }) };
}

/** Returns money as a DynamoDB number with its exact digits. */
export function moneyAttribute(amount: Money): NumberValueImpl {
  return NumberValueImpl.from(amount.toString());
}

/** Reads an amount; zero if absent. DynamoDB may return small numbers in scientific notation ("1E-7"). */
export function moneyFrom(value: unknown): Money {
  return value === undefined ? Money.zero : Money.parseNumber(value as string);
}

export function numberFrom(value: unknown): number {
  return value === undefined ? 0 : Number(value);
}

/**
 * Sparse indexes of the table. They are eventually consistent on AWS, so no decision about money depends on them alone.
 */
export const indexes = {
  /** Items that a worker must process at a certain time: pending generations, leases, and deliveries of alerts. */
  sweep: { name: 'sweep', partition: 'sweep_shard', sort: 'sweep_at' },
} as const;

/** Attribute by which DynamoDB itself deletes short-lived items (epoch seconds). */
export const TTL_ATTRIBUTE = 'expires_at_seconds';
