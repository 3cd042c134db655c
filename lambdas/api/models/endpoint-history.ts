import { BoundedMap } from '../../platform/bounded-map.ts';
import { nowMs } from '../../platform/clock.ts';
import { resources } from '../../resources.ts';
import { readPoints, type EndpointPoint } from '../../store/statistics/endpoint-history.ts';

/** Time in ms that a history is cached. A new point appears once an hour. */
const KEEP_HISTORY_MS = 60_000;
const MAX_HISTORIES = 500;

const histories = new BoundedMap<string, { untilMs: number; points: Promise<EndpointPoint[]> }>(MAX_HISTORIES);

/**
 * Returns the performance of endpoints by id, for the measured hours of the last thirty days.
 *
 * Cost: one query for each endpoint that is not cached.
 * @throws {Error} if the table fails, or does not respond within a second
 */
export async function readHistories(endpointIds: readonly string[]): Promise<ReadonlyMap<string, EndpointPoint[]>> {
  return new Map(await Promise.all(endpointIds.map(async (id) => [id, await historyOf(id)] as const)));
}

function historyOf(endpointId: string): Promise<EndpointPoint[]> {
  const atMs = nowMs();
  const known = histories.get(endpointId);
  if (known && known.untilMs > atMs) return known.points;
  const points = readPoints(resources.table(), endpointId, atMs);
  histories.set(endpointId, { untilMs: atMs + KEEP_HISTORY_MS, points });
  // A failed read is not cached.
  points.catch(() => histories.delete(endpointId));
  return points;
}
