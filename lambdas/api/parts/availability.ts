import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint, Model } from '../../catalog/catalog.ts';
import type { ModelData } from '../../catalog/schema.ts';
import { resources } from '../../resources.ts';
import { isCalled, isReadyByMeasurement, readiness, type IsReady } from '../../routing/live-providers.ts';

/** Maximum time in ms that a response waits for current values. */
export const REPORT_PATIENCE_MS = 700;

/**
 * Returns a function that returns whether an endpoint of these models can be called; undefined if unknown. Without
 * permission to read a credential, it uses the worker's last measurement.
 */
export async function readReadiness(models: readonly Model[]): Promise<IsReady> {
  const statistics = resources.statistics();
  const isMeasured = models.some(({ endpoints }) => endpoints.some(isReadyByMeasurement));
  if (isMeasured) await Promise.race([statistics.refresh(), sleep(REPORT_PATIENCE_MS, undefined, { ref: false })]);
  return readiness((providerId) => statistics.isLive(providerId));
}

/** Returns whether a model can be called by one of these endpoints; null if it is not known. */
export function availability(
  { output_modalities: makes }: ModelData,
  endpoints: readonly Endpoint[],
  isReady: IsReady,
): { available: boolean | null; unavailable_reason?: string } {
  const answers = new Set(endpoints.map(isReady));
  if (answers.has(true)) return { available: true };
  if (answers.has(undefined)) return { available: null };
  const isCalledAnywhere = endpoints.some(({ wire }) => isCalled(wire));
  const reason = isCalledAnywhere
    ? 'The operator has not set a variable or credential that its providers need.'
    : `No route of this gateway calls models that make ${makes.join(', ')} yet.`;
  return { available: false, unavailable_reason: reason };
}
