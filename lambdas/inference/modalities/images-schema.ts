/**
 * Schemas of the bodies of POST /images (OpenRouter's API), /images/generations and /images/edits (OpenAI's API). They
 * share most fields.
 */

import * as z from 'zod';
import {
  imageFormats,
  imageQualities,
  imageTiers,
  MAX_IMAGES,
  MAX_PARTIAL_IMAGES,
  MAX_REFERENCES,
} from '../../catalog/image-options.ts';
import { optionalField } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { boundedList, refuse } from '../../messages/list-of.ts';
import { providerPreferences } from '../../messages/preferences.ts';
import { insistenceFault, namesOf, unknownFields } from '../../messages/unknown-fields.ts';
import { FormFile } from '../../platform/form-file.ts';
import { isTier, imageRatioOf, imageTierOf } from '../../providers/images/settings.ts';

/** Maximum number of characters of a prompt, the highest of any known provider. */
const MAX_IMAGE_PROMPT_CHARACTERS = 32_000;
const MAX_IMAGE_SEED = 2 ** 31 - 1 - MAX_IMAGES;

const ONE_MODEL_RULE = 'is refused here; name one model in "model"';
const EDIT_RULE = 'belongs to POST /images/edits; here, send pictures in "input_references"';
const REFERENCES_RULE = 'belongs to POST /images; here, send pictures in "images"';

const auto = (values: readonly string[]) => optionalField(z.enum(['auto', ...values]));

/** Returns the schema of a field that is always refused, for the reason that the rule states. */
const refusedImageField = (rule: string) =>
  optionalField(z.never(rule)).meta({ description: `This field is refused: it ${rule}.` });

const reference = z.strictObject({
  type: z.literal('image_url', { error: 'must be "image_url"' }),
  image_url: z
    .strictObject({
      url: z.string().min(1).meta({ description: 'An https URL, or a data URL with base64: PNG, JPEG or WebP.' }),
      detail: optionalField(z.enum(['auto', 'low', 'high'])).meta({ description: 'Accepted, and without an effect.' }),
    })
    .meta({ description: 'The address of the picture, or its bytes.' }),
});

const editedImage = z.strictObject({
  image_url: z.string().min(1).meta({ description: 'An https URL, or a data URL with base64: PNG, JPEG or WebP.' }),
});

const SIZE = /^(auto|512|[124]K|[1-9]\d{1,4}x[1-9]\d{1,4})$/;

const sharedFields = {
  model: z.string().min(1).max(200).meta({
    description: 'The id of a model that draws images, such as `openai/gpt-image-2`; GET /images/models lists them.',
  }),
  prompt: z.string().min(1).max(MAX_IMAGE_PROMPT_CHARACTERS).meta({ description: 'A description of the image.' }),
  n: optionalField(z.int().min(1).max(MAX_IMAGES)).meta({
    description: 'The number of images; 1 if absent. More than the provider draws at once take several requests to it.',
  }),
  size: optionalField(z.string().regex(SIZE, 'must look like 1024x1024, or be 512, 1K, 2K, 4K or auto')).meta({
    description: 'The size in pixels, such as `1024x1024`, or a tier such as `2K`.',
    example: '1024x1024',
  }),
  resolution: optionalField(z.enum(imageTiers)).meta({
    description: 'The tier of the size: `1K` has about 1,024 × 1,024 pixels.',
  }),
  aspect_ratio: optionalField(
    z.string().regex(/^(auto|\d{1,2}(\.\d{1,2})?:\d{1,2}(\.\d{1,2})?)$/, 'must look like 16:9, or be auto'),
  ).meta({
    description: 'The aspect ratio, such as `16:9`.',
    example: '1:1',
  }),
  quality: auto([...imageQualities, 'hd']).meta({
    description: 'The quality, one that the model lists. Models without the choice leave it out.',
  }),
  output_format: optionalField(z.enum([...imageFormats, 'svg', 'gif'])).meta({
    description: 'The format of the file, one that the model lists. `svg` and `gif` are refused.',
  }),
  background: auto(['transparent', 'opaque']).meta({
    description: 'Whether the background is transparent, which needs a PNG or WebP.',
  }),
  output_compression: optionalField(z.int().min(0).max(100)).meta({
    description: 'The compression of a JPEG or WebP in percent.',
  }),
  seed: optionalField(z.int().min(0).max(MAX_IMAGE_SEED)).meta({
    description: 'A number that makes similar images from the same prompt, where the model takes one.',
  }),
  moderation: auto(['low']).meta({ description: 'The strictness of the provider’s filter, where the model takes it.' }),
  response_format: optionalField(z.literal('b64_json', 'must be b64_json: answers have the image itself')).meta({
    description: 'Only `b64_json` is accepted, which is the default: answers have the image itself.',
  }),
  stream: optionalField(z.boolean()).meta({
    description: 'Whether the answer is a stream of events: partial images, and finally the image. It has one image.',
  }),
  partial_images: optionalField(z.int().min(0).max(MAX_PARTIAL_IMAGES)).meta({
    description:
      'The number of partial images in a stream; 0 if absent. Fewer may come, also none if the model sends none. OpenAI bills 100 further tokens for each.',
  }),
  provider: optionalField(providerPreferences).meta({
    description:
      'Preferences for routing: which endpoints (offers of the model by a provider) may answer, and in which order. Providers never see this field.',
  }),
  models: refusedImageField(ONE_MODEL_RULE),
  svg: refusedImageField('asks for an SVG, which no model here draws'),
  frame_count: refusedImageField('asks for an animation, which no model here draws'),
  frame_duration_ms: refusedImageField('asks for an animation, which no model here draws'),
  ...labelFields,
};

const imageFields = {
  ...sharedFields,
  input_references: optionalField(boundedList(reference, { max: MAX_REFERENCES })).meta({
    description: 'Pictures from which the image is made, where the model takes any.',
  }),
  images: refusedImageField(EDIT_RULE),
  mask: refusedImageField(EDIT_RULE),
};

/** File of a multipart form. A JSON body cannot contain files. */
const editedFile = z
  .instanceof(FormFile, { error: 'must be a file of a form (multipart/form-data); in JSON, send "images"' })
  .meta({ override: { type: 'string', format: 'binary' } });

const editFields = {
  ...sharedFields,
  image: optionalField(boundedList(editedFile, { min: 1, max: MAX_REFERENCES })).meta({
    description: 'The pictures to edit, as files of a form: `image`, or `image[]` several times.',
  }),
  images: optionalField(boundedList(editedImage, { min: 1, max: MAX_REFERENCES })).meta({
    description: 'The pictures to edit, in a body of JSON.',
  }),
  mask: optionalField(z.union([editedImage, editedFile], 'must be a file, or an object with "image_url"')).meta({
    description: 'A PNG of the size of the first picture; only its transparent parts are edited.',
  }),
  input_fidelity: optionalField(z.enum(['low', 'high'])).meta({
    description: 'How closely the image follows the pictures, where the model takes it.',
  }),
  markup: refusedImageField('is not supported by any model here'),
  input_references: refusedImageField(REFERENCES_RULE),
};

/**
 * Returns the schema of a body. Unknown fields, for example fields newer than the gateway, are accepted, but no
 * endpoint gets them, and the response names them. With `provider.require_parameters`, they are refused. null counts as
 * absent.
 */
function imageSchemaOf<Fields extends typeof imageFields | typeof editFields>(fields: Fields) {
  return z.looseObject(fields).superRefine((body, context) => {
    const sent = body as z.output<z.ZodObject<typeof sharedFields>>;
    const insistence = insistenceFault(sent, namesOf(unknownFields(body, fields)));
    if (insistence) refuse(context, insistence);
    const contradiction = contradictionIn(sent) ?? contradictionOfStream(sent);
    if (contradiction) refuse(context, contradiction);
  });
}

/**
 * Returns the error for a stream of several images, or for partial images without a stream. OpenAI streams only one
 * image, and the events of other APIs do not state to which image a partial image belongs.
 */
function contradictionOfStream({ n, stream, partial_images: partials }: z.output<z.ZodObject<typeof sharedFields>>) {
  if (stream !== true) {
    return partials ? { path: ['partial_images'], message: 'must be 0 without "stream": true' } : undefined;
  }
  return n != null && n > 1 ? { path: ['n'], message: 'must be 1 with "stream": true' } : undefined;
}

/**
 * Returns the error if `resolution` or `aspect_ratio` contradicts a size in pixels. zod also calls this if the form of
 * the size is invalid.
 */
function contradictionIn({ size, resolution, aspect_ratio: ratio }: z.output<z.ZodObject<typeof sharedFields>>) {
  if (size == null || size === 'auto' || !SIZE.test(size)) return undefined;
  const tier = isTier(size) ? size : imageTierOf(size);
  if (resolution != null && resolution !== tier) {
    return { path: ['resolution'], message: `must be ${tier}, as in "size"; send one of them` };
  }
  if (isTier(size) || ratio == null || ratio === 'auto' || ratio === imageRatioOf(size)) return undefined;
  return { path: ['aspect_ratio'], message: `must be ${imageRatioOf(size)}, as in "size"; send one of them` };
}

export const imageRequestSchema = imageSchemaOf(imageFields);
export const imageEditSchema = imageSchemaOf(editFields).superRefine(({ image, images }, context) => {
  if (image && images) refuse(context, { path: ['images'], message: 'must be left out beside "image"' });
  if (!image && !images) {
    refuse(context, { path: ['images'], message: 'is required: the pictures to edit, or "image" in a form' });
  }
});
/** Rules that convert a form to the value that a JSON body with the same fields would have. */
export const imageEditForm = {
  files: ['image', 'mask'],
  maxFiles: MAX_REFERENCES + 1,
  lists: ['image'],
  numbers: ['n', 'output_compression', 'seed', 'partial_images'],
  booleans: ['stream'],
  json: ['provider'],
  exactWithin: ['max_price'],
};
export type ImageRequest = z.output<typeof imageRequestSchema>;
export type ImageEdit = z.output<typeof imageEditSchema>;

/** Returns the names of fields that the gateway does not know, so no endpoint gets them. */
export function unknownImageFields(body: ImageRequest | ImageEdit): string[] {
  return namesOf(unknownFields(body, isEdit(body) ? editFields : imageFields));
}

export function isEdit(body: ImageRequest | ImageEdit): body is ImageEdit {
  return Array.isArray(body.images) || ('image' in body && Array.isArray(body.image));
}
