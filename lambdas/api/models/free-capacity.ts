import { setTimeout as sleep } from 'node:timers/promises';
import type { FreeCapacity } from '../../admission/free/free-capacity.ts';
import type { Model } from '../../catalog/catalog.ts';
import { resources } from '../../resources.ts';

/** Whether a free model has used up today's budget; false if unknown. */
export type IsLimited = FreeCapacity['isLimited'];

/** Maximum time in ms that a response waits for current budgets. */
const CAPACITY_PATIENCE_MS = 700;

/**
 * Returns the function that returns whether a free model has used up its budget. Waits at most 700 ms for a new reading
 * of the table, then uses the last reading. Without a recent reading, the budget of a model counts as not used up.
 */
export async function readFreeCapacity(models: readonly Model[]): Promise<IsLimited> {
  if (!models.some(({ data }) => data.service_free)) return () => false;
  const capacity = resources.freeCapacity();
  await Promise.race([capacity.refresh(), sleep(CAPACITY_PATIENCE_MS, undefined, { ref: false })]);
  return (model) => capacity.isLimited(model);
}
