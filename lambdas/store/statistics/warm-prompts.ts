/**
 * Where the prompts of conversations are cached, so that their next turns go there from any instance. Nothing about money
 * depends on these items: one that is lost, late or old costs the difference between a warm and a cold cache.
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

/** A first token may not wait for it much longer than a good reading takes. */
const PROMPT_READ_TIMEOUT_MS = 100;
const PROMPT_WRITE_TIMEOUT_MS = 300;

/** @param conversation a hash that names it */
function promptItemKey(conversation: string): Key {
  return { pk: `WARM#${conversation}`, sk: 'PROMPT' };
}

/** Reads it, perhaps a little old. @throws {AwsError} when that takes longer than 100 ms */
export async function readWarmPrompt(table: Table, conversation: string): Promise<StoredWarmPrompt | undefined> {
  const item = await readItemWithin(table, PROMPT_READ_TIMEOUT_MS, promptItemKey(conversation));
  return item && warmPromptRecord.from(item);
}

/** Replaces what is known of a conversation. @throws {AwsError} when that takes longer than 300 ms */
export async function writeWarmPrompt(table: Table, conversation: string, prompt: StoredWarmPrompt): Promise<void> {
  const item: Item & Key = {
    ...promptItemKey(conversation),
    entity: 'warm_prompt',
    ...warmPromptRecord.toItem(prompt),
  };
  await writeWithin(table, PROMPT_WRITE_TIMEOUT_MS, put(table, item));
}
