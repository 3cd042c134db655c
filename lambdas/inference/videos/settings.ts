/**
 * The settings of a video request, checked against its model's options. The default of a missing resolution or
 * aspect ratio is the model's first option (with `size`, the first that fits), and of a missing duration the first option
 * at the resolution.
 */

import type { Model } from '../../catalog/catalog.ts';
import type { Pricing } from '../../catalog/schema.ts';
import { durationsAt, videoPricesAt } from '../../catalog/video-options.ts';
import { Money } from '../../money/money.ts';
import { nowMs } from '../../platform/clock.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { hasRatio, pixelsOf } from '../../providers/images/settings.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { VideoCandidate } from '../../routing/video-candidates.ts';
import type { VideoBody } from './request.ts';

export type VideoSettings = Omit<VideoRequest, 'prompt' | 'frames'>;

/**
 * Returns the settings of a video request.
 * @throws {GatewayError} 400 naming the field and the options of the model
 */
export function settingsFor(body: VideoBody, { id, data }: Model): VideoSettings {
  const options = data.video!;
  const { resolutions, aspect_ratios, frame_images: frames = [] } = options;
  const { size } = body;
  const shapes = size == null ? undefined : shapesOf(size);
  const oneOf = <Value extends string | number>(
    field: string,
    value: Value | null | undefined,
    allowed: readonly Value[],
    where = '',
  ) => {
    if (value === null || value === undefined) return allowed[0]!;
    const found = allowed.find((one) => one === value || isSameName(one, value));
    if (found !== undefined) return found;
    const takes = allowed.length === 0 ? 'none' : allowed.join(', ');
    throw invalidRequest(field, `"${id}" accepts ${takes}${where}, not ${value}`, { allowed });
  };
  for (const [index, image] of (body.frame_images ?? []).entries()) {
    oneOf(`frame_images.${index}.frame_type`, image.frame_type, frames);
  }
  const fitting = <Value extends string>(
    allowed: readonly Value[],
    isShape: ((one: string) => boolean) | undefined,
  ) => {
    const fits = isShape ? allowed.filter(isShape) : allowed;
    if (fits.length > 0) return fits;
    throw invalidRequest('size', `cannot be ${size} for "${id}", which has ${allowed.join(', ')}`, { allowed });
  };
  const resolution = oneOf('resolution', body.resolution, fitting(resolutions, shapes?.isResolution));
  return {
    durationSeconds: oneOf('duration', body.duration, durationsAt(options, resolution), ` at ${resolution}`),
    resolution,
    aspectRatio: oneOf('aspect_ratio', body.aspect_ratio, fitting(aspect_ratios, shapes?.isRatio)),
    seed: body.seed ?? undefined,
    withAudio: body.generate_audio ?? undefined,
  };
}

/** Returns whether two names differ only in case, as `768P` and `768p`. */
function isSameName(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one.toLowerCase() === other.toLowerCase();
}

/** Returns the checks for the names of resolutions and of aspect ratios that a size such as `1280x720` has. */
function shapesOf(size: string) {
  const shortSide = Math.min(...pixelsOf(size));
  const names = shortSide === 2_160 ? ['2160p', '4k'] : [`${shortSide}p`];
  return {
    isResolution: (one: string) => names.includes(one.toLowerCase()),
    isRatio: (one: string) => hasRatio(size, one),
  };
}

/**
 * Returns the candidates that support all settings of a request.
 * @throws {GatewayError} 400 with the first candidate's objection, if no candidate remains
 */
export function ableTo(
  candidates: readonly VideoCandidate[],
  request: VideoRequest,
  onExcluded?: OnExcluded,
): VideoCandidate[] {
  const objections = candidates.map(({ wire, target }) => wire.objectionTo?.(request, target));
  const refusals = objections.map((objection) => objection && invalidRequest(objection.field, objection.message));
  const able = candidates.filter((_, index) => refusals[index] === undefined);
  if (able.length === 0) throw refusals[0]!;
  for (const [index, candidate] of candidates.entries()) {
    if (refusals[index]) onExcluded?.(candidate, 'request_not_supported', refusals[index]);
  }
  return able;
}

/**
 * Returns the price of a video for the record: only its seconds have a price. A video that is accepted now has this
 * price until its end.
 */
export function pricingOf({ data }: Model, { resolution }: VideoSettings): Pricing {
  const price = videoPricesAt(data.video!, nowMs())[resolution]!;
  return { prompt: Money.zero, completion: Money.zero, video_second: price };
}
