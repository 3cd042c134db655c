import type { ModelData } from './schema.ts';

type VideoOptions = NonNullable<ModelData['video']>;

/**
 * Returns the durations that a model supports at a resolution. A resolution may support only some of the model's
 * durations.
 */
export function durationsAt({ durations, durations_at }: VideoOptions, resolution: string): number[] {
  return durations_at?.[resolution] ?? durations;
}
