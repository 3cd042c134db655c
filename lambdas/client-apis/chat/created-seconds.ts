import { generationTimeMs } from '../../platform/ids.ts';

/** Epoch seconds at which a generation was admitted. */
export function createdSeconds(generationId: string): number {
  return Math.floor((generationTimeMs(generationId) ?? 0) / 1_000);
}
