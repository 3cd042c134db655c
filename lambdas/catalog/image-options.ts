/** Options of an endpoint that generates images, and the price and tokens of each kind of image. */

import * as z from 'zod';
import { price } from './price.ts';

export const imageTiers = ['512', '1K', '2K', '4K'] as const;
export type ImageTier = (typeof imageTiers)[number];
export const imageQualities = ['low', 'medium', 'high', 'xhigh', 'max', 'standard', 'premium'] as const;
export const imageFormats = ['png', 'jpeg', 'webp'] as const;
const imageBackgrounds = ['transparent', 'opaque'] as const;

export const MAX_IMAGES = 10;
export const MAX_PARTIAL_IMAGES = 3;
/** Maximum number of pictures that a client may send with a request. */
export const MAX_REFERENCES = 16;

/**
 * Returns the schema of values by kind of image. A kind is a quality, a size or resolution, or both, such as
 * `high/1024x1024`.
 */
const byKind = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

export const imageOptionsSchema = z
  .strictObject({
    /** Widths and heights in pixels, such as 1024x1024. Each request to the provider names one size. */
    sizes: z
      .array(z.string().regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must look like 1024x1024'))
      .min(1)
      .optional(),
    /** Rule for further widths and heights that the provider accepts. */
    free_sizes: z
      .strictObject({
        /** Number of pixels of which each side is a multiple. */
        step: z.int().positive(),
        max_side: z.int().positive(),
        /** Maximum ratio of the longer side to the shorter side. */
        max_ratio: z.number().min(1),
        min_pixels: z.int().positive(),
        max_pixels: z.int().positive(),
      })
      .optional(),
    /** Aspect ratios, for a provider that has them instead of sizes. */
    aspect_ratios: z
      .array(z.string().regex(/^\d+(\.\d+)?:\d+(\.\d+)?$/, 'must look like 16:9'))
      .min(1)
      .optional(),
    resolutions: z.array(z.enum(imageTiers)).min(1).optional(),
    qualities: z.array(z.enum(imageQualities)).min(1).optional(),
    /** Formats of the image. If only one is listed, the gateway does not send a format to the provider. */
    output_formats: z.array(z.enum(imageFormats)).min(1),
    backgrounds: z.array(z.enum(imageBackgrounds)).min(1).optional(),
    /** Maximum number of images in one request to the provider; 1 if absent. */
    max_images: z.int().positive().max(MAX_IMAGES).optional(),
    /** Maximum number of pictures that a client may send with a request; 0 if absent. */
    max_references: z.int().nonnegative().max(MAX_REFERENCES).optional(),
    max_prompt_characters: z.int().positive().optional(),
    /** Partial images that the provider sends while it generates one image. Absent: none. */
    max_partial_images: z.int().positive().max(MAX_PARTIAL_IMAGES).optional(),
    /**
     * Maximum output tokens that the provider charges for an image of up to 1536 × 1024 pixels; in proportion more for
     * larger sizes. Absent: it charges no tokens.
     */
    tokens: byKind(z.int().positive()).optional(),
    /** Maximum input tokens that the provider charges for a picture in the request; 10,000 if absent. */
    reference_tokens: z.int().positive().optional(),
    /** Prices of kinds of images, if they differ from `output_image` of the endpoint's pricing. */
    prices: byKind(price).optional(),
  })
  .superRefine((options, context) => {
    for (const field of ['tokens', 'prices'] as const) {
      const kinds = Object.keys(options[field] ?? {});
      const unlisted = kinds.find((kind) => !isKindOf(kind, options));
      if (unlisted === undefined) continue;
      const message = 'must name one of the qualities, sizes or resolutions, or both: "high/1024x1024"';
      context.addIssue({ code: 'custom', path: [field, unlisted], message });
    }
  });
export type ImageOptions = z.output<typeof imageOptionsSchema>;

/** Name of the values that apply to every kind of image. */
const ANY_KIND = 'any';

interface ListedKinds {
  sizes?: readonly string[] | undefined;
  resolutions?: readonly string[] | undefined;
  qualities?: readonly string[] | undefined;
}

function isKindOf(kind: string, { sizes = [], resolutions = [], qualities = [] }: ListedKinds): boolean {
  const shapes = new Set([...sizes, ...resolutions]);
  const [first = '', second, ...more] = kind.split('/');
  if (more.length > 0) return false;
  if (second !== undefined) return qualities.includes(first) && shapes.has(second);
  return first === ANY_KIND || qualities.includes(first) || shapes.has(first);
}

/** Properties of an image on which its price may depend. The model chooses an absent property. */
export interface ImageKind {
  quality?: string | undefined;
  size?: string | undefined;
  resolution?: string | undefined;
}

/**
 * Returns the value for the quality together with the size or resolution, or else for one of them alone, or else for
 * every kind. Undefined if there is none, for example because the model chooses the quality.
 */
export function valueOfKind<Value>(values: Readonly<Record<string, Value>>, kind: ImageKind): Value | undefined {
  const { quality, size, resolution } = kind;
  const shapes = [size, resolution].filter((shape) => shape !== undefined);
  const names = [...shapes.map((shape) => `${quality}/${shape}`), ...(quality ? [quality] : []), ...shapes, ANY_KIND];
  const name = names.find((one) => Object.hasOwn(values, one));
  return name === undefined ? undefined : values[name];
}
