/** What a request asks for, against what its model makes: the first of each list where it says nothing. */

import type { Model } from '../catalog/catalog.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';
import { invalidRequest } from '../platform/errors.ts';
import type { VideoBody } from './request.ts';

export interface VideoSettings {
  durationSeconds: number;
  resolution: string;
  aspectRatio: string;
  seed: number | undefined;
  withAudio: boolean | undefined;
}

type VideoOptions = NonNullable<Model['data']['video']>;

/** @throws {GatewayError} 400 naming the field, and what the model takes there */
export function settingsFor(body: VideoBody, { id, data }: Model): VideoSettings {
  const options = data.video!;
  const oneOf = <Value extends string | number>(field: keyof VideoBody, value: Value | null | undefined, all: readonly Value[]) => {
    if (value === null || value === undefined) return all[0]!;
    if (all.includes(value)) return value;
    throw invalidRequest(field, `"${id}" takes ${all.join(', ')}, not ${value}`, { allowed: all });
  };
  refuseLacking(body, id, options);
  return {
    durationSeconds: oneOf('duration', body.duration, options.durations),
    resolution: oneOf('resolution', body.resolution, options.resolutions),
    aspectRatio: oneOf('aspect_ratio', body.aspect_ratio, options.aspect_ratios),
    seed: body.seed ?? undefined,
    withAudio: body.generate_audio ?? undefined,
  };
}

function refuseLacking(body: VideoBody, id: string, options: VideoOptions): void {
  const { frame_images: allowed = [] } = options;
  for (const [index, { frame_type: type }] of (body.frame_images ?? []).entries()) {
    if (allowed.includes(type)) continue;
    const takes = allowed.length === 0 ? 'no frames' : allowed.join(', ');
    throw invalidRequest(`frame_images.${index}.frame_type`, `"${id}" takes ${takes}, not ${type}`, { allowed });
  }
  for (const field of ['seed', 'generate_audio'] as const) {
    const isSaid = body[field] !== null && body[field] !== undefined;
    if (isSaid && !options[field]) throw invalidRequest(field, `"${id}" does not take it; leave it out`);
  }
  const hasFrames = (body.frame_images ?? []).length > 0;
  if (body.prompt || (hasFrames && options.prompt_optional)) return;
  throw invalidRequest(
    'prompt',
    options.prompt_optional ? 'is required, unless frame_images are given' : 'is required: what the video shows',
  );
}

/** What such a video costs, for the record: nothing but its seconds. */
export function pricingOf({ data }: Model, { resolution }: VideoSettings): Pricing {
  return { prompt: Money.zero, completion: Money.zero, video_second: data.video!.price_per_second[resolution]! };
}
