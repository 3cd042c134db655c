/**
 * Endpoints that have cached the prompts of conversations. If an item is lost, late or outdated, the next turn of the
 * conversation may cost more.
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

/** Timeout in ms for a read. It is short, because the client's request waits for the read. */
const PROMPT_READ_TIMEOUT_MS = 100;
const PROMPT_WRITE_TIMEOUT_MS = 300;

/** Returns the key of a conversation's item. `conversation` is a hash that identifies the conversation. */
function promptItemKey(conversation: string): Key {
  return { pk: `WARM#${conversation}`, sk: 'PROMPT' };
}

/**
 * Returns the cached prompt of a conversation. The read is eventually consistent.
 * @throws {Error} if the read fails or takes longer than 100 ms
 */
export async function readWarmPrompt(table: Table, conversation: string): Promise<StoredWarmPrompt | undefined> {
  const item = await readItemWithin(table, PROMPT_READ_TIMEOUT_MS, promptItemKey(conversation));
  return item && warmPromptRecord.from(item);
}

/** @throws {Error} if the write fails or takes longer than 300 ms */
export async function writeWarmPrompt(table: Table, conversation: string, prompt: StoredWarmPrompt): Promise<void> {
  const item: Item & Key = {
    ...promptItemKey(conversation),
    entity: 'warm_prompt',
    ...warmPromptRecord.toItem(prompt),
  };
  await writeWithin(table, PROMPT_WRITE_TIMEOUT_MS, put(table, item));
}
