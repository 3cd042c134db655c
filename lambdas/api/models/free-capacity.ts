import { setTimeout as sleep } from 'node:timers/promises';
import type { FreeCapacity } from '../../admission/free/free-capacity.ts';
import type { Model } from '../../catalog/catalog.ts';
import { resources } from '../../resources.ts';

/** Whether a free model has used up its budget of today; false where that is not known. */
export type IsLimited = FreeCapacity['isLimited'];

/** How long an answer waits for what is only known of the moment. */
const CAPACITY_PATIENCE_MS = 700;

/** Which of these models have used up their budget, or what is left of that when the table does not answer in time. */
export async function readFreeCapacity(models: readonly Model[]): Promise<IsLimited> {
  if (!models.some(({ data }) => data.service_free)) return () => false;
  const capacity = resources.freeCapacity();
  await Promise.race([capacity.refresh(), sleep(CAPACITY_PATIENCE_MS, undefined, { ref: false })]);
  return (model) => capacity.isLimited(model);
}
