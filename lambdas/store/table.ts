import { DynamoDBClient, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { Money } from '../money/money.ts';
import { optionalVariable, requireVariable, variables } from '../platform/environment.ts';
import { quietLogger, requestTimeouts } from '../platform/sdk.ts';

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
 * the SDK (three attempts, jittered), conflicts of transactions by `transact`.
 */
export function openTable(options: { endpoint?: string; name?: string } = {}): Table {
  const endpoint = options.endpoint ?? optionalVariable(variables.dynamodbEndpoint);
  const client = new DynamoDBClient({
    ...(endpoint ? { endpoint, region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } } : {}),
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

/** Reads the item that a failed condition carried along: the document client leaves it in its raw form. */
export function itemOfFailedCondition(raw: Record<string, AttributeValue> | undefined): Item | undefined {
  return raw && unmarshall(raw, { wrapNumbers });
}

/** Money as a DynamoDB Number with its exact digits. */
export function moneyAttribute(amount: Money): NumberValue {
  return NumberValue.from(amount.toString());
}

export function moneyFrom(value: unknown): Money {
  return value === undefined ? Money.zero : Money.parse(expandExponent(value as string));
}

/** DynamoDB may answer small numbers in scientific notation ("1E-7"); Money reads plain decimals only. */
function expandExponent(digits: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(digits);
  if (!match) return digits;
  const [, sign, whole = '0', fraction = '', exponentText] = match;
  const exponent = Number(exponentText);
  const allDigits = whole + fraction;
  const pointAt = whole.length + exponent;
  if (pointAt <= 0) return `${sign}0.${'0'.repeat(-pointAt)}${allDigits}`;
  if (pointAt >= allDigits.length) return `${sign}${allDigits}${'0'.repeat(pointAt - allDigits.length)}`;
  return `${sign}${allDigits.slice(0, pointAt)}.${allDigits.slice(pointAt)}`;
}

export function numberFrom(value: unknown): number {
  return value === undefined ? 0 : Number(value);
}

/** The two sparse indexes. Both are eventually consistent on AWS: nothing that decides about money reads them. */
export const indexes = {
  /** Keys of a workspace, and accounts, by creation. */
  byOwner: { name: 'by-owner', partition: 'owner', sort: 'owner_sort' },
  /** Pending generations by the moment their hold may be swept. */
  sweep: { name: 'sweep', partition: 'sweep_shard', sort: 'sweep_at' },
} as const;

/** Attribute by which DynamoDB itself deletes short-lived items (epoch seconds). */
export const TTL_ATTRIBUTE = 'expires_at_seconds';
