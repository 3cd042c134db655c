/**
 * The endpoints that have cached the prompts of conversations, so that the next turns go there from any instance. No
 * money depends on these items: a lost, late or old item costs the difference between a warm and a cold cache.
 */

import { readItemWithin } from '../table/query.ts';
import { count, expiry, record, text, type RecordOf } from '../table/record.ts';
import { TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { writeWithin } from '../table/transact.ts';
import { put, type Key } from '../table/writes.ts';

const warmPromptRecord = record({
  endpointId: text('endpoint_id'),
  tokens: count('cached_tokens'),
  outputTokens: count('output_tokens'),
  untilMs: expiry(TTL_ATTRIBUTE),
});
type StoredWarmPrompt = RecordOf<typeof warmPromptRecord>;

/** The first token must not wait much longer than a normal read takes. */
const PROMPT_READ_TIMEOUT_MS = 100;
const PROMPT_WRITE_TIMEOUT_MS = 300;

/** @param conversation hash of the conversation */
function promptItemKey(conversation: string): Key {
  return { pk: `WARM#${conversation}`, sk: 'PROMPT' };
}

/**
 * Reads it, eventually consistent.
 * @throws {AwsError} if that takes longer than 100 ms
 */
export async function readWarmPrompt(table: Table, conversation: string): Promise<StoredWarmPrompt | undefined> {
  const item = await readItemWithin(table, PROMPT_READ_TIMEOUT_MS, promptItemKey(conversation));
  return item && warmPromptRecord.from(item);
}

/**
 * Replaces the entry of a conversation.
 * @throws {AwsError} if that takes longer than 300 ms
 */
export async function writeWarmPrompt(table: Table, conversation: string, prompt: StoredWarmPrompt): Promise<void> {
  const item: Item & Key = {
    ...promptItemKey(conversation),
    entity: 'warm_prompt',
    ...warmPromptRecord.toItem(prompt),
  };
  await writeWithin(table, PROMPT_WRITE_TIMEOUT_MS, put(table, item));
}
