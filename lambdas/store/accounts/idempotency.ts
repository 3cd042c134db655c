import { readItem } from '../table/query.ts';
import { expiry, record, text, type RecordOf } from '../table/record.ts';
import { TTL_ATTRIBUTE, type Table } from '../table/table.ts';
import { put, type Key, type Write } from '../table/writes.ts';

const answerRecord = record({
  fingerprint: text('fingerprint'),
  sealed: text('sealed'),
  expiresAtMs: expiry(TTL_ATTRIBUTE),
});

export type KeptAnswer = RecordOf<typeof answerRecord>;

/** Thrown if an answer to a request with the same `Idempotency-Key` is already stored. */
export class AlreadyAnsweredError extends Error {
  override name = 'AlreadyAnsweredError';
}

function answerItemKey(name: string): Key {
  return { pk: `IDEMPOTENCY#${name}`, sk: 'ANSWER' };
}

/**
 * Returns the write that stores an answer. Include it in the transaction that makes the request's change, so that only
 * one of two requests with the same key makes its change.
 * @param name keyed hash of account or key, route and Idempotency-Key
 */
export function keepAnswerPut(table: Table, name: string, answer: KeptAnswer, atMs: number): Write {
  const item = { ...answerItemKey(name), entity: 'kept_answer', ...answerRecord.toItem(answer) };
  // DynamoDB removes expired items with a delay, so an existing expired item is replaced.
  return put(table, item, { belowIfPresent: { [TTL_ATTRIBUTE]: Math.ceil(atMs / 1000) } });
}

export async function readAnswer(table: Table, name: string, atMs: number): Promise<KeptAnswer | undefined> {
  const item = await readItem(table, answerItemKey(name));
  const answer = item && answerRecord.from(item);
  return answer && answer.expiresAtMs >= atMs ? answer : undefined;
}
