/**
 * The settings of a video request. Defaults: the model's first resolution and aspect ratio (with `size`, the first that
 * fits), and the first duration at the resolution.
 */

import type { Model } from '../../catalog/catalog.ts';
import { durationsAt } from '../../catalog/video-options.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { hasRatio, pixelsOf } from '../../providers/images/sizes.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import type { VideoBody } from './request.ts';

type VideoSettings = Omit<VideoRequest, 'prompt' | 'frames'>;

/**
 * Returns the settings of a video, with the defaults of the model.
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
    throw invalidRequest(field, `"${id}" accepts ${takes}${where}, not ${value === '' ? 'an empty text' : value}`, {
      allowed,
    });
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

function isSameName(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one.toLowerCase() === other.toLowerCase();
}

/**
 * Returns functions that check whether a resolution such as `720p`, or an aspect ratio, belongs to a size such as
 * `1280x720`.
 */
function shapesOf(size: string) {
  const shortSide = Math.min(...pixelsOf(size));
  const names = shortSide === 2_160 ? ['2160p', '4k'] : [`${shortSide}p`];
  return {
    isResolution: (one: string) => names.includes(one.toLowerCase()),
    isRatio: (one: string) => hasRatio(size, one),
  };
}
