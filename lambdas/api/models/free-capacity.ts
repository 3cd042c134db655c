import { setTimeout as sleep } from 'node:timers/promises';
import type { FreeCapacity } from '../../admission/free/free-capacity.ts';
import type { Model } from '../../catalog/catalog.ts';
import { resources } from '../../resources.ts';

/** Whether a free model has used up today's budget; false if unknown. */
export type IsLimited = FreeCapacity['isLimited'];

/** How long a response waits for data that describes only the present. */
const CAPACITY_PATIENCE_MS = 700;

/** Finds the models that have used up their budget, or the known part if the table does not respond in time. */
export async function readFreeCapacity(models: readonly Model[]): Promise<IsLimited> {
  if (!models.some(({ data }) => data.service_free)) return () => false;
  const capacity = resources.freeCapacity();
  await Promise.race([capacity.refresh(), sleep(CAPACITY_PATIENCE_MS, undefined, { ref: false })]);
  return (model) => capacity.isLimited(model);
}
