import type { ImageOptions } from '../../catalog/image-options.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { ImageSettings, ImageTask } from './codec.ts';
import { hasRatio, imageTierOf, isFreeSize, sizeFacts, type SizeFacts } from './sizes.ts';

/** Settings that only adjust the image. They are sent only to endpoints that list them (`supported_parameters`). */
const tunings = ['output_compression', 'seed', 'moderation', 'input_fidelity'] as const;
const shapings = ['size', 'aspect_ratio', 'resolution', 'quality', 'output_format', 'background'] as const;
export const imageSettingNames: readonly (keyof ImageSettings)[] = [...shapings, ...tunings];

type ListedOptions = { supportedParameters: readonly string[]; image?: ImageOptions | undefined };

/** Returns the names of tunings that the endpoint accepts. OpenAI refuses compression for a PNG. */
function sentTunings({ output_format: format }: ImageTask, { supportedParameters, image }: ListedOptions) {
  const isPng = (format ?? image?.output_formats[0]) === 'png';
  return tunings.filter((name) => supportedParameters.includes(name) && !(isPng && name === 'output_compression'));
}

/** Returns the names of the request's fields that the endpoint does not support and that only adjust the image. */
export function untunable(task: ImageTask, listed: ListedOptions): string[] {
  const { image } = listed;
  const sent = sentTunings(task, listed);
  const unlisted = tunings.filter((name) => task[name] !== undefined && !sent.includes(name));
  const isPlain = task.quality !== undefined && !image?.qualities;
  const sendsNone = (task.partialImages ?? 0) > 0 && image?.max_partial_images === undefined;
  return [...(isPlain ? ['quality'] : []), ...unlisted, ...(sendsNone ? ['partial_images'] : [])];
}

/**
 * Returns the settings of a task at an endpoint. If settings determine the price, an absent setting gets the endpoint's
 * first value.
 * @throws {GatewayError} 400 for a setting that the endpoint does not have; the message lists its settings
 */
export function imageSettings(
  task: ImageTask,
  options: ImageOptions,
  { supportedParameters }: ListedOptions,
): ImageSettings {
  const isPriced = options.prices !== undefined;
  const tuned = sentTunings(task, { supportedParameters, image: options });
  return {
    ...shapeFor(task, options, isPriced),
    quality: qualityFor(task.quality, options) ?? (isPriced ? options.qualities?.[0] : undefined),
    output_format: formatFor(task.output_format, options),
    background: backgroundFor(task, options),
    ...Object.fromEntries(tuned.map((name) => [name, task[name]])),
  };
}

type ImageShape = Pick<ImageSettings, 'size' | 'aspect_ratio' | 'resolution'>;

function shapeFor(task: ImageTask, options: ImageOptions, isPriced: boolean): ImageShape {
  const { pixels, ...shape }: Partial<SizeFacts> = task.size === undefined ? {} : sizeFacts(task.size);
  const tier = task.resolution ?? (pixels === undefined ? shape.tier : undefined);
  const { sizes, aspect_ratios: ratios, resolutions } = options;
  if (sizes) {
    const wanted = { pixels, tier, ratio: task.aspect_ratio };
    return { size: sizeFor(wanted, sizes, options) ?? (isPriced ? sizes[0] : undefined) };
  }
  const ratio = task.aspect_ratio ?? (pixels && (ratios?.find((one) => hasRatio(pixels, one)) ?? shape.ratio));
  if (ratio !== undefined && !ratios?.includes(ratio)) {
    const listed = ratios?.map((one) => `the ratio ${one}`) ?? [];
    throw unlisted(pixels ? 'size' : 'aspect_ratio', pixels ?? ratio, listed);
  }
  // If a model has no images as small as 512 × 512, the gateway requests 1K for smaller sizes in pixels.
  const isSmall = pixels !== undefined && shape.tier === '512' && !resolutions?.includes('512');
  return {
    aspect_ratio: ratio,
    resolution:
      resolutionFor(task.resolution ?? (isSmall ? '1K' : shape.tier), resolutions) ??
      (isPriced ? resolutions?.[0] : undefined),
  };
}

/**
 * Returns the requested size in pixels, or the first size with the requested ratio and tier; undefined if none of the
 * three is requested.
 */
function sizeFor(
  { pixels, tier, ratio }: WantedSize,
  sizes: readonly string[],
  { free_sizes: free }: ImageOptions,
): string | undefined {
  if (pixels !== undefined) {
    if (!free) return listedValue('size', pixels, sizes);
    if (sizes.includes(pixels) || isFreeSize(pixels, free)) return pixels;
    const { step, max_side: side, max_ratio: most, min_pixels: least, max_pixels: area } = free;
    const rule = `multiples of ${step} up to ${side}, ${least} to ${area} pixels in all, up to ${most}:1`;
    throw unlisted('size', pixels, [...sizes, `other sizes (${rule})`]);
  }
  if (tier === undefined && ratio === undefined) return undefined;
  const fits = (size: string) =>
    (tier === undefined || imageTierOf(size) === tier) && (ratio === undefined || hasRatio(size, ratio));
  const found = sizes.find(fits);
  if (found) return found;
  throw ratio === undefined ? unlisted('resolution', tier!, sizes) : unlisted('aspect_ratio', ratio, sizes);
}

type WantedSize = Partial<Record<keyof SizeFacts, string | undefined>>;

function resolutionFor(wanted: string | undefined, resolutions: readonly string[] | undefined): string | undefined {
  // If no resolution is sent, models generate images of about a million pixels, which is 1K.
  if (wanted === undefined || (!resolutions && wanted === '1K')) return undefined;
  return listedValue('resolution', wanted, resolutions ?? []);
}

/** Qualities of earlier models, which clients still send by default, with the qualities of later models. */
const laterQualities: Record<string, string | undefined> = { standard: 'medium', hd: 'high' };

function qualityFor(quality: string | undefined, { qualities }: ImageOptions): string | undefined {
  if (quality === undefined || !qualities) return undefined;
  const later = laterQualities[quality];
  const listed: readonly string[] = qualities;
  return later !== undefined && !listed.includes(quality) && listed.includes(later)
    ? later
    : listedValue('quality', quality, listed);
}

function formatFor(format: string | undefined, { output_formats: formats }: ImageOptions): string | undefined {
  const listed = format === undefined ? undefined : listedValue('output_format', format, formats);
  return formats.length > 1 ? listed : undefined;
}

function backgroundFor(
  { background, output_format: format }: ImageTask,
  { backgrounds }: ImageOptions,
): string | undefined {
  if (background === undefined) return undefined;
  if (background === 'transparent' && format === 'jpeg') {
    throw invalidRequest('background', 'cannot be transparent in a JPEG; use the output_format png or webp');
  }
  // A model without a list of backgrounds counts as generating only opaque backgrounds.
  if (!backgrounds && background === 'opaque') return undefined;
  return listedValue('background', background, backgrounds ?? ['opaque']);
}

/**
 * Returns the value if the endpoint lists it.
 * @throws {GatewayError} 400 for any other value
 */
function listedValue(field: string, value: string, listed: readonly string[]): string {
  if (listed.includes(value)) return value;
  throw unlisted(field, value, listed);
}

function unlisted(field: string, value: string, allowed: readonly string[]): Error {
  const takes = allowed.length === 0 ? 'leave it out for this model' : `this model has ${allowed.join(', ')}`;
  return invalidRequest(field, `cannot be ${value}: ${takes}`, { allowed });
}
