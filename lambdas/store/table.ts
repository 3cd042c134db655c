import { DynamoDBClient, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { Money } from '../money/money.ts';
import { optionalVariable, requireVariable, variables } from '../platform/environment.ts';
import { localCredentials, quietLogger, requestTimeouts } from '../platform/sdk.ts';

/** The single table: a document client and the table's name. */
export interface Table {
  readonly documents: DynamoDBDocumentClient;
  readonly name: string;
}

/** An item as read: every Number is its exact decimal text, because a JS number would round money. */
export type Item = Record<string, unknown>;

const wrapNumbers = (digits: string) => digits;

/**
 * Opens the table named by the environment. Connections are kept alive; throttling and server errors are retried by
 * the SDK (three times, jittered), conflicts of transactions by `transact`.
 */
export function openTable(options: { endpoint?: string; name?: string } = {}): Table {
  const endpoint = options.endpoint ?? optionalVariable(variables.dynamodbEndpoint);
  const client = new DynamoDBClient({
    ...(endpoint ? { endpoint, region: 'local', credentials: localCredentials } : {}),
    maxAttempts: 4,
    logger: quietLogger,
    requestHandler: requestTimeouts,
  });
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers },
  });
  return { documents, name: options.name ?? requireVariable(variables.tableName) };
}

/** Reads the item that came with a failed condition: the document client leaves it in its raw form. */
export function itemOfFailedCondition(raw: Record<string, AttributeValue> | undefined): Item | undefined {
  return raw && unmarshall(raw, { wrapNumbers });
}

/** Money as a DynamoDB Number with its exact digits. */
export function moneyAttribute(amount: Money): NumberValue {
  return NumberValue.from(amount.toString());
}

/** DynamoDB may answer small numbers in scientific notation ("1E-7"). */
export function moneyFrom(value: unknown): Money {
  return value === undefined ? Money.zero : Money.parseNumber(value as string);
}

export function numberFrom(value: unknown): number {
  return value === undefined ? 0 : Number(value);
}

/** The sparse index. It is eventually consistent on AWS: nothing that decides about money reads it. */
export const indexes = {
  /** Pending generations by the moment their hold may be swept. */
  sweep: { name: 'sweep', partition: 'sweep_shard', sort: 'sweep_at' },
} as const;

/** Attribute by which DynamoDB itself deletes short-lived items (epoch seconds). */
export const TTL_ATTRIBUTE = 'expires_at_seconds';
