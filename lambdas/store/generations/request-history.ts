/** An account's requests in order of arrival, newest first: requests with a generation, and refused requests. */

import { generationsOfPartitions } from './generation-queries.ts';
import type { Generation } from './generation.ts';
import { endings } from './outcome.ts';
import { refusalsOfShards, type Refusal } from './refusals.ts';
import { mergeSorted } from '../table/sorted-merge.ts';
import type { Table } from '../table/table.ts';

/** Status of a request: how it ended, "pending" until it is settled, "refused" if it never began. */
export const requestStatuses = ['pending', ...endings, 'refused'] as const;
type RequestStatus = (typeof requestStatuses)[number];

export function statusOf({ state, outcome }: Generation): RequestStatus {
  if (state === 'pending') return state;
  // An outcome that the sweep settled may have no ending. It then only states whether the answer was cut short.
  return outcome!.ending ?? (outcome!.cancelled ? 'client_left' : 'complete');
}

export type PastRequest = { generation: Generation } | { refusal: Refusal };

/** Text that sorts after every generation id. */
const NEWEST = 'gen.';

/**
 * Yields the requests of a UTC day, newest first. Reads as many requests as the consumer takes, plus up to one page per
 * partition. A request whose provider failed may have both a generation and a refusal; it is yielded once, as its
 * generation.
 * @param before id of a generation; only older requests are yielded
 */
export async function* requestsOfDay(
  table: Table,
  accountId: string,
  date: string,
  before = NEWEST,
): AsyncGenerator<PastRequest, void> {
  const sources: AsyncGenerator<HistoryEntry, void>[] = [
    ...(await generationsOfPartitions(table, accountId, date, before)).map(ofGenerations),
    ...refusalsOfShards(table, accountId, date, before).map(ofRefusals),
  ];
  let lastId = '';
  // Ids begin with their time of creation, so they sort by time.
  for await (const { id, request } of mergeSorted(sources, (a, b) => a.id > b.id)) {
    if (id !== lastId) yield request;
    lastId = id;
  }
}

interface HistoryEntry {
  id: string;
  request: PastRequest;
}

async function* ofGenerations(generations: AsyncGenerator<Generation, void>): AsyncGenerator<HistoryEntry, void> {
  for await (const generation of generations) yield { id: generation.id, request: { generation } };
}

async function* ofRefusals(refusals: AsyncGenerator<Refusal, void>): AsyncGenerator<HistoryEntry, void> {
  for await (const refusal of refusals) yield { id: refusal.id, request: { refusal } };
}
