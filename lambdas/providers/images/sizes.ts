/** Sizes of images, in pixels or as tiers, and the tokens of an image. */

import {
  imageTiers,
  valueOfKind,
  type ImageKind,
  type ImageOptions,
  type ImageTier,
} from '../../catalog/image-options.ts';

export interface SizeFacts {
  /** Size in pixels; absent if the size is a tier. */
  pixels?: string;
  tier: ImageTier;
  /** Aspect ratio; absent if the size is a tier. */
  ratio?: string;
}

/** Returns the properties of a size, which is a tier such as `2K` or a size in pixels such as `1024x768`. */
export function sizeFacts(size: string): SizeFacts {
  const tier = imageTiers.find((one) => one === size);
  return tier ? { tier } : { pixels: size, tier: imageTierOf(size), ratio: imageRatioOf(size) };
}

/** Returns the width and the height of a size such as `1024x768`. */
export function pixelsOf(size: string): [width: number, height: number] {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return [width, height];
}

/** Returns the aspect ratio of a size in whole numbers, such as `3:2`. */
function imageRatioOf(size: string): string {
  const [width, height] = pixelsOf(size);
  const divisor = commonDivisor(width, height) || 1;
  return `${width / divisor}:${height / divisor}`;
}

/** Maximum difference to a nominal aspect ratio, as a natural logarithm. Gemini's 4:5 has 896 × 1152 pixels. */
const MAX_RATIO_DIFFERENCE = 0.03;

/** Returns whether a size has an aspect ratio such as `16:9`, apart from rounding. */
export function hasRatio(size: string, ratio: string): boolean {
  const [width, height] = pixelsOf(size);
  const [across = 0, down = 0] = ratio.split(':').map(Number);
  return Math.abs(Math.log((width * down) / (height * across))) <= MAX_RATIO_DIFFERENCE;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

const SIDE_OF_TIER = { '512': 512, '1K': 1_024, '2K': 2_048, '4K': 4_096 } as const satisfies Record<ImageTier, number>;

/** Returns the tier for a size: the tier whose square image has the most similar number of pixels. */
export function imageTierOf(size: string): ImageTier {
  const [width, height] = pixelsOf(size);
  const distance = (tier: ImageTier) => Math.abs(Math.log2(Math.sqrt(width * height) / SIDE_OF_TIER[tier]));
  return imageTiers.reduce((nearest, tier) => (distance(tier) < distance(nearest) ? tier : nearest));
}

/** Returns whether a size in pixels follows the rule. */
export function isFreeSize(size: string, rule: NonNullable<ImageOptions['free_sizes']>): boolean {
  const [width, height] = pixelsOf(size);
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  return (
    width % rule.step === 0 &&
    height % rule.step === 0 &&
    long <= rule.max_side &&
    long <= short * rule.max_ratio &&
    width * height >= rule.min_pixels &&
    width * height <= rule.max_pixels
  );
}

/** Number of pixels up to which the maximum tokens of the catalog apply. */
const PIXELS_OF_LISTED_TOKENS = 1_536 * 1_024;

/**
 * Returns the maximum tokens of an image of this kind; the largest number if the kind leaves it open. The
 * tokens of OpenAI's images grow more slowly than their pixels (https://github.com/QuantumNous/new-api/issues/4474).
 */
export function maxTokensOfKind(kind: ImageKind, tokens: NonNullable<ImageOptions['tokens']>): number {
  const listed = valueOfKind(tokens, kind) ?? Math.max(...Object.values(tokens));
  if (kind.size === undefined) return listed;
  const [width, height] = pixelsOf(kind.size);
  return Math.ceil(listed * Math.max(1, (width * height) / PIXELS_OF_LISTED_TOKENS));
}
