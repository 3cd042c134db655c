/** Bodies of POST /images (OpenRouter's API), /images/generations and /images/edits (OpenAI's API). */

import * as z from 'zod';
import {
  imageFormats,
  imageQualities,
  imageTiers,
  MAX_IMAGES,
  MAX_PARTIAL_IMAGES,
  MAX_REFERENCES,
} from '../../catalog/image-options.ts';
import { formFileField, optionalField, refusedField, refusedFieldsOf } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { boundedList, refuse } from '../../messages/list-of.ts';
import { openBody } from '../../messages/open-body.ts';
import { routingField } from '../../messages/preferences.ts';
import { hasRatio, sizeFacts } from '../../providers/images/sizes.ts';

/** Maximum length of a prompt in characters: the highest maximum of the known providers. */
const MAX_IMAGE_PROMPT_CHARACTERS = 32_000;
const MAX_IMAGE_SEED = 2 ** 31 - 1 - MAX_IMAGES;

const auto = (values: readonly string[]) => optionalField(z.enum(['auto', ...values]));

const pictureUrl = z.string().min(1).meta({
  description: 'An https URL, or a data URL with base64: PNG, JPEG or WebP.',
});
const reference = z.strictObject({
  type: z.literal('image_url', { error: 'must be "image_url"' }),
  image_url: z
    .strictObject({
      url: pictureUrl,
      detail: optionalField(z.enum(['auto', 'low', 'high'])).meta({ description: 'Accepted, and without an effect.' }),
    })
    .meta({ description: 'The address of the picture, or its bytes.' }),
});

const editedImage = z.strictObject({ image_url: pictureUrl });

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
  provider: routingField,
  models: refusedField('is refused here; name one model in "model"'),
  svg: refusedField('asks for an SVG, which no model here draws'),
  ...refusedFieldsOf('asks for an animation, which no model here draws', ['frame_count', 'frame_duration_ms']),
  ...labelFields,
};

const FILE_RULE = 'must be a file of a form (multipart/form-data); in JSON, send "images"';
const editedFile = formFileField(FILE_RULE);

const imageInputFields = {
  image: optionalField(boundedList(editedFile, { min: 1, max: MAX_REFERENCES, rule: FILE_RULE })).meta({
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
  input_references: optionalField(boundedList(reference, { max: MAX_REFERENCES })).meta({
    description: 'Pictures from which the image is made, where the model takes any.',
  }),
};

export type ImageBody = z.output<z.ZodObject<typeof sharedFields & typeof imageInputFields>>;

export const createdImageBody = openBody(
  {
    ...sharedFields,
    input_references: imageInputFields.input_references,
    ...refusedFieldsOf('belongs to POST /images/edits; here, send pictures in "input_references"', ['images', 'mask']),
    ...refusedFieldsOf('belongs to other APIs; here, send pictures in "input_references"', [
      'image',
      'image_url',
      'image_urls',
      'input_image',
      'reference_images',
    ]),
  },
  { check: refuseContradictions },
);

export const editedImageBody = openBody(
  {
    ...sharedFields,
    ...imageInputFields,
    markup: refusedField('is not supported by any model here'),
    input_references: refusedField('belongs to POST /images; here, send pictures in "images"'),
  },
  {
    check: (body, context) => {
      refuseContradictions(body, context);
      const { image, images } = body;
      if (Boolean(image) !== Boolean(images)) return;
      const message = image
        ? 'must be left out beside "image"'
        : 'is required: the pictures to edit, or "image" in a form';
      refuse(context, { path: ['images'], message });
    },
  },
);

/** Refuses fields that contradict each other. zod also calls this function if the format of `size` is invalid. */
function refuseContradictions(body: z.output<z.ZodObject<typeof sharedFields>>, context: z.core.$RefinementCtx): void {
  const { size, resolution, aspect_ratio: ratio, n, stream, partial_images: partials } = body;
  const fault = (field: string, message: string) => refuse(context, { path: [field], message });
  const sent = size != null && size !== 'auto' && SIZE.test(size) ? sizeFacts(size) : undefined;
  if (sent && resolution != null && resolution !== sent.tier) {
    fault('resolution', `must be ${sent.tier}, as in "size"; send one of them`);
  }
  if (sent?.pixels && ratio != null && ratio !== 'auto' && !hasRatio(sent.pixels, ratio)) {
    fault('aspect_ratio', `must be ${sent.ratio}, as in "size"; send one of them`);
  }
  // OpenAI streams only one image, and the events of other APIs do not state to which image a partial image belongs.
  if (stream && n != null && n > 1) fault('n', 'must be 1 with "stream": true');
  if (!stream && partials) fault('partial_images', 'must be 0 without "stream": true');
}

export const imageEditForm = {
  files: ['image', 'mask'],
  maxFiles: MAX_REFERENCES + 1,
  lists: ['image'],
  numbers: ['n', 'output_compression', 'seed', 'partial_images'],
  booleans: ['stream'],
  json: ['provider'],
  exactWithin: ['max_price'],
};
