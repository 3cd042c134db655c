import { generationKey } from '../../store/generation-key.ts';
import { generationFrom, type Generation } from '../../store/generation.ts';
import { readItems } from '../../store/query.ts';
import type { OpenEntry } from '../../store/seals.ts';
import type { Table } from '../../store/table.ts';

/** The records of generations that were open, by their ids, as they are now. */
export async function readRecordsOf(
  table: Table,
  accountId: string,
  open: readonly OpenEntry[],
): Promise<Map<string, Generation>> {
  const items = await readItems(
    table,
    open.map(({ id }) => generationKey(accountId, id)),
  );
  return new Map(items.map(generationFrom).map((generation) => [generation.id, generation]));
}
