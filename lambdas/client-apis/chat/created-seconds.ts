import { generationTimeMs } from '../../platform/ids.ts';

/** Returns the time at which the request of a generation arrived, in epoch seconds. */
export function createdSeconds(generationId: string): number {
  return Math.floor((generationTimeMs(generationId) ?? 0) / 1_000);
}
