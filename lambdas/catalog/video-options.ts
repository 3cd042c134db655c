import type { ModelData } from './schema.ts';

type VideoOptions = NonNullable<ModelData['video']>;

/** The durations that a model makes at one of its resolutions: fewer, where the best of them is only for some. */
export function durationsAt({ durations, durations_at }: VideoOptions, resolution: string): number[] {
  return durations_at?.[resolution] ?? durations;
}
