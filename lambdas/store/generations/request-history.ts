/** An account's requests, newest first: requests with a generation, and refused requests. */

import { generationsOfPartitions } from './generation-queries.ts';
import type { Generation } from './generation.ts';
import { endings } from './outcome.ts';
import { refusalsOfShards, type Refusal } from './refusals.ts';
import { mergeSorted } from '../table/sorted-merge.ts';
import type { Table } from '../table/table.ts';

/**
 * Statuses of past requests: "pending" until a request is settled, "refused" if it has no generation, or else its
 * ending.
 */
export const requestStatuses = ['pending', ...endings, 'refused'] as const;
type RequestStatus = (typeof requestStatuses)[number];

export function statusOf({ state, outcome }: Generation): RequestStatus {
  if (state === 'pending') return state;
  // The outcome may lack an ending, if the sweep settled it. The ending is then derived from `cancelled`.
  return outcome!.ending ?? (outcome!.cancelled ? 'client_left' : 'complete');
}

export type PastRequest = { generation: Generation } | { refusal: Refusal };

/** Text that sorts after every generation id. */
const NEWEST = 'gen.';

/**
 * Yields the requests of a UTC day, newest first. A request whose provider failed may have both a generation and a
 * refusal; it is yielded once, as its generation.
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
