/** Copies of a real generation, each with its own id and time. */

import { generationTimeMs, uuidv7 } from '../../lambdas/platform/ids.ts';
import { batchWrite } from '../../lambdas/store/table/batch-write.ts';
import { generationKey } from '../../lambdas/store/generations/generation-key.ts';
import { readItem } from '../../lambdas/store/table/query.ts';
import type { Table } from '../../lambdas/store/table/table.ts';

const BATCH = 1_000;

/**
 * Copies a generation.
 * @param of.id a final generation
 * @param of.spanMs the copies are spread evenly over this time before `of.endMs`
 * @returns the ids, oldest first
 */
export async function copyGeneration(
  table: Table,
  of: { accountId: string; id: string; count: number; endMs: number; spanMs: number },
): Promise<string[]> {
  const { accountId, count, endMs, spanMs } = of;
  const original = await readItem(table, generationKey(accountId, of.id));
  const ids = Array.from(
    { length: count },
    (_, index) => `gen-${uuidv7(endMs - Math.floor(spanMs * (1 - index / count)))}`,
  );
  const copyOf = (id: string) => ({
    ...original,
    ...generationKey(accountId, id),
    id,
    created_at: new Date(generationTimeMs(id)!).toISOString(),
  });
  for (let start = 0; start < count; start += BATCH) {
    await batchWrite(
      table,
      ids.slice(start, start + BATCH).map((id) => ({ PutRequest: { Item: copyOf(id) } })),
    );
  }
  return ids;
}
