import { generationsInOrder } from '../store/generations/generation-queries.ts';
import type { Generation } from '../store/generations/generation.ts';
import type { RequestTags } from '../store/generations/request-tags.ts';
import type { Table } from '../store/table/table.ts';
import { utcDaysOf, type Period } from './period.ts';

/** Filter for records of an account. An absent field does not restrict the selection. */
export interface RecordFilter {
  /** Returns whether records of the key with this hash are selected. */
  isKey?: ((hash: string) => Promise<boolean>) | undefined;
  /** Returns whether a record with these tags, of the key with this hash, is selected. */
  hasTags?: ((tags: RequestTags | undefined, keyHash: string) => Promise<boolean>) | undefined;
  memberId?: string | undefined;
  workspaceId?: string | undefined;
  model?: string | undefined;
}

export function isFiltered(filter: RecordFilter): boolean {
  return Object.values(filter).some((wanted) => wanted !== undefined);
}

/**
 * Yields the generations that were admitted in a period and that match the filter, in the order of their ids. They may
 * be pending or final, charged or free.
 * Cost: at least eight queries for each UTC day, more if their results have several pages.
 * @param progress is called after each UTC day
 */
export async function* recordsOf(
  { table, accountId }: { table: Table; accountId: string },
  period: Period,
  { filter = {}, progress }: { filter?: RecordFilter; progress?: (date: string) => void } = {},
): AsyncGenerator<Generation, void> {
  for (const date of utcDaysOf(period)) {
    for await (const generation of generationsInOrder(table, accountId, date)) {
      const { createdAtMs } = generation;
      const isInside = period.startMs <= createdAtMs && createdAtMs < period.endMs;
      if (isInside && (await fits(generation, filter))) yield generation;
    }
    progress?.(date);
  }
}

async function fits({ payer, outcome, model, tags }: Generation, filter: RecordFilter): Promise<boolean> {
  return (
    (filter.memberId === undefined || payer.memberId === filter.memberId) &&
    (filter.workspaceId === undefined || payer.workspaceId === filter.workspaceId) &&
    (filter.model === undefined || (outcome?.model ?? model) === filter.model) &&
    (filter.isKey === undefined || (await filter.isKey(payer.keyHash))) &&
    (filter.hasTags === undefined || (await filter.hasTags(tags, payer.keyHash)))
  );
}
