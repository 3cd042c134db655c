/** Schema with few limits: `settings.ts` checks the options of the requested model, and its errors list them. */

import * as z from 'zod';
import { optionalField, refusedField, refusedFieldsOf } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { boundedList, refuse } from '../../messages/list-of.ts';
import { routingField } from '../../messages/preferences.ts';
import { isOnOwnMachine } from '../../platform/environment.ts';
import { fetchFaultTexts } from '../../platform/fetch/fetch-faults.ts';
import { literalHostFault, readPublicUrl } from '../../platform/fetch/public-url.ts';

const MAX_VIDEO_PROMPT_CHARACTERS = 20_000;
const MAX_VIDEO_SEED = 2 ** 32 - 1;
const VIDEO_SIZE = /^[1-9]\d{0,4}x[1-9]\d{0,4}$/;

const frameTypes = ['first_frame', 'last_frame'] as const;

const publicUrl = z.string().superRefine((text, context) => {
  const rules = { allowLoopback: isOnOwnMachine() };
  const url = readPublicUrl(text, rules);
  const fault = typeof url === 'string' ? url : (httpFault(url) ?? literalHostFault(url, rules));
  if (fault) context.addIssue({ code: 'custom', message: fetchFaultTexts[fault] });
});

/** Refuses http for hosts other than this machine. */
function httpFault({ protocol, hostname }: URL): 'not_https' | undefined {
  if (protocol === 'https:') return undefined;
  const isOwn = /^(\[::1\]|127(\.\d+){3}|(.+\.)?localhost)$/.test(hostname);
  return isOwn ? undefined : 'not_https';
}

const frameImage = z.strictObject({
  type: z.literal('image_url', { error: 'must be "image_url"' }),
  image_url: z
    .strictObject({
      url: z
        .string({ error: 'must be an https URL, or a data URL' })
        .meta({ description: 'An https URL, or a data URL with base64: PNG, JPEG or WebP.' }),
    })
    .meta({ description: 'The address of the picture, or the picture itself as a data URL.' }),
  frame_type: z
    .enum(frameTypes, { error: `must be ${frameTypes.join(' or ')}` })
    .meta({ description: 'Whether the video begins (`first_frame`) or ends (`last_frame`) with the picture.' }),
});

export const videoRequestSchema = z
  .strictObject({
    model: z.string({ error: 'is required: the id of a model; GET /videos/models lists them' }).min(1).max(200).meta({
      description: 'The id of a model that makes videos, such as `minimax/hailuo-2.3`; GET /videos/models lists them.',
    }),
    prompt: optionalField(z.string().max(MAX_VIDEO_PROMPT_CHARACTERS)).meta({
      description:
        'A description of the video. It may be empty or omitted if the model accepts pictures alone and `frame_images` has some.',
    }),
    duration: optionalField(z.number().meta({ override: { type: 'integer', exclusiveMinimum: 0 } })).meta({
      description: 'The length of the video in seconds; `supported_durations` of the model lists the possible values.',
    }),
    resolution: optionalField(z.string().max(20)).meta({
      description: 'The resolution of the video, one of the `supported_resolutions` of the model.',
      example: '768p',
    }),
    aspect_ratio: optionalField(z.string().max(20)).meta({
      description: 'The aspect ratio of the video, one of the `supported_aspect_ratios` of the model.',
      example: '16:9',
    }),
    size: optionalField(z.string().regex(VIDEO_SIZE, 'must look like 1280x720')).meta({
      description: 'The size in pixels, instead of `resolution` and `aspect_ratio`.',
      example: '1280x720',
    }),
    frame_images: optionalField(boundedList(frameImage, { max: frameTypes.length })).meta({
      description: 'Pictures that the video begins or ends with.',
    }),
    seed: optionalField(z.int().nonnegative().max(MAX_VIDEO_SEED)).meta({
      description: 'A number that makes similar videos from the same prompt, if the model accepts one.',
    }),
    generate_audio: optionalField(z.boolean()).meta({
      description: 'With true the video has sound, if the model can make sound.',
    }),
    callback_url: optionalField(publicUrl).meta({
      description: 'An https address to which the gateway sends a signed message when the job has ended.',
    }),
    input_references: refusedField('is not supported; send pictures in "frame_images"'),
    previous_job_id: refusedField('is not supported: no model here continues a video'),
    ...refusedFieldsOf('is not supported: no model here enlarges videos', ['creativity', 'upscale_factor']),
    provider: routingField,
    ...labelFields,
  })
  .superRefine(({ frame_images: frames, provider }, context) => {
    const types = frames?.map(({ frame_type }) => frame_type) ?? [];
    const repeated = types.findIndex((type, index) => types.indexOf(type) < index);
    if (repeated !== -1) {
      refuse(context, {
        path: ['frame_images', repeated, 'frame_type'],
        message: 'appears twice; give each frame once',
      });
    }
    if (provider?.max_price) {
      refuse(context, {
        path: ['provider', 'max_price'],
        message:
          'does not apply to videos, which are priced by the second; leave it out (GET /videos/models has their prices)',
      });
    }
  });
export type VideoBody = z.output<typeof videoRequestSchema>;
