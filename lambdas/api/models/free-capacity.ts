import { setTimeout as sleep } from 'node:timers/promises';
import type { FreeCapacity } from '../../admission/free/free-capacity.ts';
import type { Model } from '../../catalog/catalog.ts';
import { resources } from '../../resources.ts';

/** Returns whether a free model has used up today's budget; false if that is unknown. */
export type IsLimited = FreeCapacity['isLimited'];

/** Maximum time in ms that a response waits for current budgets. */
const CAPACITY_PATIENCE_MS = 700;

/**
 * Finds the free models that have used up their budget, as far as that is known when the table does not respond in
 * time.
 */
export async function readFreeCapacity(models: readonly Model[]): Promise<IsLimited> {
  if (!models.some(({ data }) => data.service_free)) return () => false;
  const capacity = resources.freeCapacity();
  await Promise.race([capacity.refresh(), sleep(CAPACITY_PATIENCE_MS, undefined, { ref: false })]);
  return (model) => capacity.isLimited(model);
}
