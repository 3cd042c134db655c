import { generationTimeMs } from '../../platform/ids.ts';

/** Returns the time at which a generation was admitted, in epoch seconds. */
export function createdSeconds(generationId: string): number {
  return Math.floor((generationTimeMs(generationId) ?? 0) / 1_000);
}
