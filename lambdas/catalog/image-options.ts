/** Options of an endpoint that draws images, and the price and tokens of each kind of image. */

import * as z from 'zod';
import { price } from './price.ts';

export const imageTiers = ['512', '1K', '2K', '4K'] as const;
export type ImageTier = (typeof imageTiers)[number];
export const imageQualities = ['low', 'medium', 'high', 'xhigh', 'max', 'standard', 'premium'] as const;
export const imageFormats = ['png', 'jpeg', 'webp'] as const;
const imageBackgrounds = ['transparent', 'opaque'] as const;

/** Maximum number of images in a request. */
export const MAX_IMAGES = 10;
/** Maximum number of partial images that a request may ask for. */
export const MAX_PARTIAL_IMAGES = 3;
/** Maximum number of pictures that a request may send. */
export const MAX_REFERENCES = 16;

/** Values by the kind of an image: its quality, its size or resolution, or both, such as `high/1024x1024`. */
const byKind = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

export const imageOptionsSchema = z
  .strictObject({
    /** Sizes in pixels. The provider is sent one of them. */
    sizes: z
      .array(z.string().regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must look like 1024x1024'))
      .min(1)
      .optional(),
    /** Aspect ratios, for a provider that takes them in place of sizes. */
    aspect_ratios: z
      .array(z.string().regex(/^\d+(\.\d+)?:\d+(\.\d+)?$/, 'must look like 16:9'))
      .min(1)
      .optional(),
    resolutions: z.array(z.enum(imageTiers)).min(1).optional(),
    qualities: z.array(z.enum(imageQualities)).min(1).optional(),
    /** Formats of the file. With only one, the provider is not sent it. */
    output_formats: z.array(z.enum(imageFormats)).min(1),
    backgrounds: z.array(z.enum(imageBackgrounds)).min(1).optional(),
    /** Maximum number of images for one request to the provider; 1 if absent. */
    max_images: z.int().positive().max(MAX_IMAGES).optional(),
    /** Maximum number of pictures in a request; 0 if absent. */
    max_references: z.int().nonnegative().max(MAX_REFERENCES).optional(),
    max_prompt_characters: z.int().positive().optional(),
    /** Maximum number of partial images that the provider sends while it draws one. Absent: it sends none. */
    max_partial_images: z.int().positive().max(MAX_PARTIAL_IMAGES).optional(),
    /** Maximum tokens that the model writes, and bills, for an image. Absent: it bills no tokens. */
    tokens: byKind(z.int().positive()).optional(),
    /** Maximum tokens that the provider reads for a picture of the request; 10,000 if absent. */
    reference_tokens: z.int().positive().optional(),
    /** Prices of an image, where they differ from `output_image` of the endpoint's pricing. */
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

/** The properties of an image that its price may depend on. Absent: the model decides. */
export interface ImageKind {
  quality?: string | undefined;
  size?: string | undefined;
  resolution?: string | undefined;
}

/**
 * Returns the value for a kind of image: of quality and size together, else of one of them. Undefined if there is none,
 * for example because the model itself decides about the quality.
 */
export function valueOfKind<Value>(values: Readonly<Record<string, Value>>, kind: ImageKind): Value | undefined {
  const { quality, size, resolution } = kind;
  const shapes = [size, resolution].filter((shape) => shape !== undefined);
  const names = [...shapes.map((shape) => `${quality}/${shape}`), ...(quality ? [quality] : []), ...shapes, ANY_KIND];
  const name = names.find((one) => Object.hasOwn(values, one));
  return name === undefined ? undefined : values[name];
}
