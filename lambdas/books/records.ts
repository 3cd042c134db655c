import { generationsInOrder } from '../store/generations/generation-queries.ts';
import type { Generation } from '../store/generations/generation.ts';
import type { RequestTags } from '../store/generations/request-tags.ts';
import type { Table } from '../store/table/table.ts';
import { utcDaysOf, type Period } from './period.ts';

export interface RecordFilter {
  isKey?: ((hash: string) => Promise<boolean>) | undefined;
  hasTags?: ((tags: RequestTags | undefined, keyHash: string) => Promise<boolean>) | undefined;
  memberId?: string | undefined;
  workspaceId?: string | undefined;
  model?: string | undefined;
}

export function isFiltered(filter: RecordFilter): boolean {
  return Object.values(filter).some((wanted) => wanted !== undefined);
}

/** Yields the pending and final generations that were admitted in a period, in the order of their ids. */
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
