import { generationKey } from '../../store/generations/generation-key.ts';
import { generationFrom, type Generation } from '../../store/generations/generation.ts';
import { readItems } from '../../store/table/query.ts';
import type { OpenEntry } from '../../store/days/seals.ts';
import type { Table } from '../../store/table/table.ts';

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
