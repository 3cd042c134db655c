/** Strict fakes of image providers, from their API references. */

import * as z from 'zod';
import { strictFake, type Rule, type StrictFake } from './rules.ts';

const text = z.string().min(1);
const dataUrl = z.strictObject({ image_url: z.string().regex(/^data:image\/(png|jpeg|webp);base64,.+/) });

interface Asked {
  size?: string | undefined;
  transparent?: boolean;
  format?: string | undefined;
  compression?: number | undefined;
  fidelity?: string | undefined;
  /** Number of images of a streamed answer. */
  streamed?: number | undefined;
  hasPartials?: boolean;
}

const openai = 'https://developers.openai.com/api/docs/guides/image-generation';
const gptBody = z
  .strictObject({
    model: text,
    prompt: z.string().min(1).max(32_000),
    n: z.int().min(1).max(10).optional(),
    size: z
      .string()
      .regex(/^(auto|\d+x\d+)$/)
      .optional(),
    quality: z.enum(['auto', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
    background: z.enum(['auto', 'transparent', 'opaque']).optional(),
    output_format: z.enum(['png', 'jpeg', 'webp']).optional(),
    output_compression: z.int().min(0).max(100).optional(),
    moderation: z.enum(['auto', 'low']).optional(),
    input_fidelity: z.enum(['low', 'high']).optional(),
    images: z.array(dataUrl).min(1).max(16).optional(),
    mask: dataUrl.optional(),
    stream: z.literal(true).optional(),
    partial_images: z.int().min(1).max(3).optional(),
  })
  .transform(
    ({ background, output_format, output_compression, input_fidelity, n, stream, partial_images, size }): Asked => ({
      size,
      transparent: background === 'transparent',
      format: output_format,
      compression: output_compression,
      fidelity: input_fidelity,
      streamed: stream ? (n ?? 1) : undefined,
      hasPartials: partial_images !== undefined,
    }),
  );

/** Comments in the official SDK state the parameters of each model. */
const openaiSdk = 'https://github.com/openai/openai-python/blob/main/src/openai/types/image_edit_params.py';

const usualSizes = new Set(['auto', '1024x1024', '1536x1024', '1024x1536']);
/** Sizes of GPT Image 2 and 2.5 (guide for images, and https://github.com/withceleste/celeste-python/pull/421). */
function isFreeSize(size: string): boolean {
  const [short = 0, long = 0] = size
    .split('x')
    .map(Number)
    .toSorted((a, b) => a - b);
  const pixels = short * long;
  return (
    (short % 16) + (long % 16) === 0 && long <= 3_840 && long / short <= 3 && pixels >= 655_360 && pixels <= 8_294_400
  );
}

const openaiRules: readonly Rule<Asked>[] = [
  {
    source: openai,
    refuses: ({ model, read: { size = 'auto' } }) =>
      !usualSizes.has(size) && !(/^gpt-image-2(\.5|$)/.test(model) && isFreeSize(size)) && `Invalid size ${size}`,
  },
  {
    source: openaiSdk,
    refuses: ({ read: { compression, format = 'png' } }) =>
      compression !== undefined && format === 'png' && 'compression is for webp and jpeg only',
  },
  {
    source: openaiSdk,
    refuses: ({ model, read: { fidelity } }) =>
      (fidelity === 'high' || (fidelity === 'low' && model !== 'gpt-image-1-mini')) &&
      model !== 'gpt-image-1.5' &&
      'another model than gpt-image-1.5 takes no input_fidelity',
  },
  {
    source: openai,
    refuses: ({ read: { streamed } }) => (streamed ?? 1) > 1 && 'streaming is only supported with n=1',
  },
  {
    source: openai,
    refuses: ({ read: { streamed, hasPartials } }) =>
      (streamed !== undefined) !== hasPartials && 'partial images are streamed, and a stream has partial images',
  },
  {
    source: openai,
    refuses: ({ read: { transparent, format } }) => transparent && format === 'jpeg' && 'a JPEG is not transparent',
  },
  {
    source: openai,
    refuses: ({ model, read: { transparent } }) =>
      transparent && model === 'gpt-image-2' && 'no transparent background',
  },
  {
    source: openai,
    refuses: ({ path, body }) => path.endsWith('/edits') !== body.includes('"images"') && 'pictures need /images/edits',
  },
];

const xai = 'https://docs.x.ai/docs/guides/image-generations';
const xaiBody = z
  .strictObject({
    model: text,
    prompt: text,
    n: z.int().min(1).max(10).optional(),
    aspect_ratio: z
      .string()
      .regex(/^\d+:\d+$/)
      .optional(),
    resolution: z.enum(['1k', '2k']).optional(),
    response_format: z.literal('b64_json'),
  })
  .transform((): Asked => ({}));

const together = 'https://docs.together.ai/reference/post-images-generations';
const togetherBody = z
  .strictObject({
    model: text,
    prompt: text,
    n: z.int().min(1).max(4).optional(),
    width: z.int().multipleOf(16).optional(),
    height: z.int().multipleOf(16).optional(),
    seed: z.int().optional(),
    output_format: z.enum(['jpeg', 'png']).optional(),
    response_format: z.literal('base64'),
  })
  .transform((): Asked => ({}));

const google = 'https://ai.google.dev/gemini-api/docs/image-generation';
const ratio = z.enum(['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']);
const geminiBody = z
  .strictObject({
    contents: z
      .array(
        z.strictObject({
          role: z.literal('user'),
          parts: z.array(
            z.union([
              z.strictObject({ text }),
              z.strictObject({ inlineData: z.strictObject({ mimeType: z.string(), data: text }) }),
            ]),
          ),
        }),
      )
      .length(1),
    generationConfig: z.strictObject({
      responseModalities: z.tuple([z.literal('IMAGE')]),
      imageConfig: z
        .strictObject({ aspectRatio: ratio.optional(), imageSize: z.enum(['1K', '2K', '4K']).optional() })
        .optional(),
      seed: z.int().optional(),
    }),
    // https://ai.google.dev/gemini-api/docs/logs-datasets
    store: z.literal(false),
  })
  .transform((): Asked => ({}));

const imagenBody = z
  .strictObject({
    instances: z.array(z.strictObject({ prompt: text })).length(1),
    parameters: z.strictObject({
      sampleCount: z.int().min(1).max(4),
      aspectRatio: z.enum(['1:1', '3:4', '4:3', '9:16', '16:9']).optional(),
      imageSize: z.enum(['1K', '2K']).optional(),
    }),
  })
  .transform((): Asked => ({}));

const bfl = 'https://docs.bfl.ai/flux_2/flux2_text_to_image';
const bflBody = z
  .strictObject({
    prompt: text,
    width: z.int().min(256).max(2_048).multipleOf(16).optional(),
    height: z.int().min(256).max(2_048).multipleOf(16).optional(),
    seed: z.int().optional(),
    output_format: z.enum(['jpeg', 'png']).optional(),
    input_image: text.optional(),
  })
  .transform((): Asked => ({}));

const bedrock = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-stability-diffusion.html';
const stabilityBody = z
  .strictObject({
    prompt: z.string().min(1).max(10_000),
    mode: z.enum(['text-to-image', 'image-to-image']),
    aspect_ratio: z.enum(['16:9', '1:1', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21']).optional(),
    output_format: z.enum(['png', 'jpeg']).optional(),
    seed: z.int().min(0).max(4_294_967_294).optional(),
    image: text.optional(),
    strength: z.number().min(0).max(1).optional(),
  })
  .refine(({ mode, image }) => (mode === 'image-to-image') === (image !== undefined))
  .transform((): Asked => ({}));

const novaBody = z
  .strictObject({
    taskType: z.literal('TEXT_IMAGE'),
    textToImageParams: z.strictObject({ text: z.string().min(1).max(1_024) }),
    imageGenerationConfig: z.strictObject({
      numberOfImages: z.int().min(1).max(5),
      width: z.int().min(320).max(4_096).multipleOf(16).optional(),
      height: z.int().min(320).max(4_096).multipleOf(16).optional(),
      quality: z.enum(['standard', 'premium']).optional(),
      seed: z.int().min(0).max(2_147_483_646).optional(),
    }),
  })
  .transform((): Asked => ({}));

export const imageSources: readonly string[] = [openai, openaiSdk, xai, together, google, bfl, bedrock];

export const imageFakes: Record<string, StrictFake> = {
  'openai-images openai': strictFake(gptBody, openaiRules),
  'openai-images xai': strictFake(xaiBody, []),
  'openai-images togetherai': strictFake(togetherBody, []),
  'gemini-images google': strictFake(geminiBody, []),
  'imagen google': strictFake(imagenBody, []),
  'bfl-images black-forest-labs': strictFake(bflBody, []),
  'bedrock-stability amazon-bedrock-west': strictFake(stabilityBody, []),
  'bedrock-nova-canvas amazon-bedrock': strictFake(novaBody, []),
};
