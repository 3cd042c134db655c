/** Claims of Idempotency-Keys by inference requests. */

import { readItem } from '../table/query.ts';
import { expiry, record, text, type RecordOf } from '../table/record.ts';
import { TTL_ATTRIBUTE, type Table } from '../table/table.ts';
import { put, update, type Key, type Write } from '../table/writes.ts';

const claimRecord = record({
  generationId: text('generation_id'),
  /** Keyed hash of the Idempotency-Key, body, URL parameters and tags. */
  fingerprint: text('fingerprint'),
  expiresAtMs: expiry(TTL_ATTRIBUTE),
});

export type InferenceClaim = RecordOf<typeof claimRecord>;

export const claimFrom = claimRecord.from;

function claimKey(name: string): Key {
  return { pk: `IDEMPOTENCY#${name}`, sk: 'GENERATION' };
}

/**
 * Returns the write of a claim. With `replaced`, it fails unless that generation still has the claim. Without
 * `replaced`, it fails if a claim has not expired.
 * @param name keyed hash of the API key, the route and the Idempotency-Key
 * @param replaced the previous generation, which cost nothing
 */
export function claimPut(
  table: Table,
  name: string,
  claim: InferenceClaim,
  { atMs, replaced }: { atMs: number; replaced: string | undefined },
): Write {
  const item = { ...claimKey(name), entity: 'inference_claim', ...claimRecord.toItem(claim) };
  if (replaced !== undefined) return put(table, item, { equal: { generation_id: replaced } });
  // DynamoDB removes expired items with a delay, so an existing expired item is replaced.
  return put(table, item, { belowIfPresent: { [TTL_ATTRIBUTE]: Math.ceil(atMs / 1000) } });
}

/** Returns the write that ends a claim. It fails if another generation has the claim. */
export function claimEnd(table: Table, name: string, generationId: string, atMs: number): Write {
  return update(table, claimKey(name), {
    set: { [TTL_ATTRIBUTE]: Math.floor(atMs / 1000) - 1 },
    when: { equal: { generation_id: generationId } },
  });
}

export async function readClaim(table: Table, name: string, atMs: number): Promise<InferenceClaim | undefined> {
  const item = await readItem(table, claimKey(name));
  const claim = item && claimRecord.from(item);
  return claim && claim.expiresAtMs >= atMs ? claim : undefined;
}
