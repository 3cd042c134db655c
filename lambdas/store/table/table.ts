import { NumberValueImpl } from '@aws-sdk/util-dynamodb';
import { Money } from '../../money/money.ts';
import type { AwsCall } from '../../platform/aws/aws-call.ts';
import { ownIdentity } from '../../platform/aws/aws-identity.ts';
import { openAwsJson } from '../../platform/aws/aws-json.ts';
import { optionalVariable, requireVariable, variables } from '../../platform/environment.ts';

export interface Table {
  readonly name: string;
  readonly call: AwsCall;
  /** URL of a DynamoDB emulator; undefined on AWS. */
  readonly endpoint: string | undefined;
}

/** In read items, every number is exact decimal text, because a JavaScript number would round money. */
export type Item = Record<string, unknown>;

interface TableOptions {
  endpoint?: string;
  name?: string;
}

/** Opens a table. Every call retries throttling and server errors, but not conflicts of transactions. */
export function openTable(options: TableOptions = {}): Table {
  const endpoint = options.endpoint ?? optionalVariable(variables.dynamodbEndpoint);
  return tableAt(options.name ?? requireVariable(variables.tableName), endpoint);
}

const DYNAMODB = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  address: { id: 'DynamoDB', host: 'dynamodb', isPlainInGovCloud: true },
};

/** Returns a table without reading the environment. */
export function tableAt(name: string, endpoint?: string): Table {
  return { name, endpoint, call: openAwsJson(DYNAMODB, { endpoint, identity: ownIdentity }) };
}

export function moneyAttribute(amount: Money): NumberValueImpl {
  return NumberValueImpl.from(amount.toString());
}

/** Converts a stored amount; zero if absent. DynamoDB may return small numbers in scientific notation ("1E-7"). */
export function moneyFrom(value: unknown): Money {
  return value === undefined ? Money.zero : Money.parseNumber(value as string);
}

export function numberFrom(value: unknown): number {
  return value === undefined ? 0 : Number(value);
}

/**
 * Indexes of the table, which are eventually consistent on AWS. Let no decision about money depend on an index alone.
 */
export const indexes = {
  /** Items that a worker must process at a certain time. */
  sweep: { name: 'sweep', partition: 'sweep_shard', sort: 'sweep_at' },
} as const;

/** Epoch seconds at which DynamoDB may delete the item. */
export const TTL_ATTRIBUTE = 'expires_at_seconds';
