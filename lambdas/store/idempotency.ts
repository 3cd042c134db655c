import { readItem } from './query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Table } from './table.ts';
import type { TransactItems } from './transact.ts';

/** The answer to a request that carried an Idempotency-Key: which body it had, and the sealed answer. */
export interface KeptAnswer {
  /** Keyed hash of account, route and Idempotency-Key. */
  name: string;
  fingerprint: string;
  sealed: string;
  expiresAtMs: number;
}

/** The item that keeps an answer stands already: somebody else has made the same request at the same time. */
export class AlreadyAnsweredError extends Error {
  override name = 'AlreadyAnsweredError';
}

function itemKey(name: string): { pk: string; sk: string } {
  return { pk: `IDEMPOTENCY#${name}`, sk: 'ANSWER' };
}

/** Keeps the answer in the transaction of its effect: two requests with one key cannot both have one. */
export function keepAnswerPut(table: Table, answer: KeptAnswer, atMs: number): TransactItems[number] {
  return {
    Put: {
      TableName: table.name,
      Item: {
        ...itemKey(answer.name),
        entity: 'kept_answer',
        fingerprint: answer.fingerprint,
        sealed: answer.sealed,
        [TTL_ATTRIBUTE]: Math.ceil(answer.expiresAtMs / 1000),
      },
      // DynamoDB removes expired items when it finds the time: one that is still there no longer counts.
      ConditionExpression: 'attribute_not_exists(pk) OR #expires < :now',
      ExpressionAttributeNames: { '#expires': TTL_ATTRIBUTE },
      ExpressionAttributeValues: { ':now': Math.floor(atMs / 1000) },
    },
  };
}

export async function readAnswer(table: Table, name: string, atMs: number): Promise<KeptAnswer | undefined> {
  const item = await readItem(table, itemKey(name));
  const expiresAtMs = numberFrom(item?.[TTL_ATTRIBUTE]) * 1000;
  if (!item || expiresAtMs < atMs) return undefined;
  return {
    name,
    fingerprint: item['fingerprint'] as string,
    sealed: item['sealed'] as string,
    expiresAtMs,
  };
}
