import { valueOfKind } from '../../catalog/image-options.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { FormFile } from '../../platform/form-file.ts';
import { pictureOfUrl } from '../../providers/data-url.ts';
import type { ImageFile, ImagesAnswer, ImageTask } from '../../providers/images/codec.ts';
import { imageEngines } from '../../providers/images/engines.ts';
import { imageSettings, untunable } from '../../providers/images/settings.ts';
import { withRequestPrice } from '../../routing/dispatched-prices.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { BatchCandidate } from '../batch/offers.ts';
import { imageEvents, openaiImageEvents } from './image-events.ts';
import {
  imageEditSchema,
  imageRequestSchema,
  isEdit,
  unknownImageFields,
  type ImageEdit,
  type ImageRequest,
} from './images-schema.ts';
import { defineModality, type BatchModality } from './modality.ts';
import { fetchedPicture, uploadedPicture } from './pictures.ts';

type ImageBody = ImageRequest | ImageEdit;

const imageMembers: Omit<
  BatchModality<ImageBody, ImageTask, ImagesAnswer, ImageFile[]>,
  'accepts' | 'apiType' | 'engines'
> = {
  makes: 'image',
  leftOut: (body, target) => [...unknownImageFields(body), ...untunable(imageTaskOf(body), target)],
  textsOf: ({ prompt }) => [{ field: 'prompt', text: prompt }],
  taskOf: (body, [prompt = '']) => ({ ...imageTaskOf(body), prompt }),
  promptBytes: ({ prompt }) => Buffer.byteLength(prompt),
  routeOf: ({ model, provider }) => ({ model, messages: [], ...(provider ? { provider } : {}) }),
  fitting: pricedCandidates,
  tooLarge: (maxMebibytes) =>
    invalidRequest(
      'input_references',
      `are more than ${maxMebibytes} MiB for this model; send fewer or smaller pictures`,
    ),
  tooMany: (requests, maxRequests) =>
    invalidRequest('n', `takes ${requests} requests to this model, and the maximum is ${maxRequests}; ask for fewer`),
  maxAtOnce: 4,
  isBilledWhole: true,
  resultOf: (files) => files,
  outOfTime:
    'The image took longer than the gateway may wait. Ask for fewer images, a smaller size or a lower quality.',
};

/** Modality that draws images from a description, and optionally from pictures. */
export const imagesModality = defineModality({
  ...imageMembers,
  apiType: 'image',
  engines: imageEngines,
  accepts: { body: imageRequestSchema, exactWithin: ['max_price'] },
  prepare: withReferences,
  forwardedAs: ({ stream }, requestId) => (stream ? imageEvents(requestId) : undefined),
});

/** Like `imagesModality`, but a streamed answer consists of the events of OpenAI's API. */
export const imageGenerationsModality: typeof imagesModality = {
  ...imagesModality,
  forwardedAs: (body, requestId) => (body.stream ? openaiImageEvents('image_generation', body, requestId) : undefined),
};

/** Modality that draws images for requests with the fields of OpenAI's API for edits. */
export const imageEditsModality = defineModality({
  ...imageMembers,
  apiType: 'image',
  engines: imageEngines,
  accepts: { body: imageEditSchema, exactWithin: ['max_price'] },
  prepare: withEdited,
  forwardedAs: (body, requestId) => (body.stream ? openaiImageEvents('image_edit', body, requestId) : undefined),
});

/** `auto` leaves the choice to the model, as an absent field does. */
const chosen = (value: string | null | undefined) => (value === 'auto' ? undefined : (value ?? undefined));

/** Builds the task without its prompt. The caller adds the prompt, which protection may have changed. */
function imageTaskOf(body: ImageBody): ImageTask {
  return {
    prompt: '',
    count: body.n ?? 1,
    size: chosen(body.size),
    aspectRatio: chosen(body.aspect_ratio),
    resolution: body.resolution ?? undefined,
    quality: chosen(body.quality),
    outputFormat: body.output_format ?? undefined,
    background: chosen(body.background),
    compression: body.output_compression ?? undefined,
    seed: body.seed ?? undefined,
    moderation: chosen(body.moderation),
    partialImages: body.stream ? (body.partial_images ?? 0) : undefined,
    ...picturesOf(body),
  };
}

function picturesOf(body: ImageBody): Pick<ImageTask, 'pictures' | 'mask' | 'inputFidelity'> {
  if (isEdit(body)) {
    const { images, mask, input_fidelity: inputFidelity } = body;
    return {
      pictures: (images ?? []).map(({ image_url: url }) => pictureOfUrl(url)),
      mask: mask && 'image_url' in mask ? pictureOfUrl(mask.image_url) : undefined,
      inputFidelity: inputFidelity ?? undefined,
    };
  }
  return { pictures: (body.input_references ?? []).map(({ image_url: { url } }) => pictureOfUrl(url)) };
}

/**
 * Replaces the URLs in a body with the pictures as data URLs. Providers get the pictures themselves, never a URL from a
 * client.
 */
async function withReferences(body: ImageRequest, signal: AbortSignal | undefined): Promise<ImageRequest> {
  const { input_references: references } = body;
  if (!references) return body;
  const fetched = references.map(async ({ type, image_url: { url } }, index) => ({
    type,
    image_url: { url: await fetchedPicture(url, `input_references.${index}.image_url.url`, signal) },
  }));
  return { ...body, input_references: await Promise.all(fetched) };
}

/** Replaces the pictures of an edit, which are URLs or files of a form, with data URLs. */
async function withEdited(body: ImageEdit, signal: AbortSignal | undefined): Promise<ImageEdit> {
  const { image, images, mask } = body;
  const pictures = image
    ? image.map(async (file, index) => uploadedPicture(file, `image.${index}`))
    : images!.map(({ image_url: url }, index) => fetchedPicture(url, `images.${index}.image_url`, signal));
  return {
    ...body,
    image: undefined,
    images: (await Promise.all(pictures)).map((image_url) => ({ image_url })),
    mask: mask && { image_url: await maskUrl(mask, signal) },
  };
}

function maskUrl(mask: NonNullable<ImageEdit['mask']>, signal: AbortSignal | undefined): string | Promise<string> {
  return mask instanceof FormFile
    ? uploadedPicture(mask, 'mask')
    : fetchedPicture(mask.image_url, 'mask.image_url', signal);
}

/** Returns the candidate with its price for images of the requested kind. */
function withPriceOf<Candidate extends BatchCandidate>(task: ImageTask, candidate: Candidate): Candidate {
  const { target } = candidate;
  if (!target.image) return candidate;
  const settings = imageSettings(task, target.image, target);
  const price = target.image.prices && valueOfKind(target.image.prices, settings);
  return price ? withRequestPrice(candidate, 'output_image', price) : candidate;
}

/**
 * Returns the candidates that can draw the images, each with its price per image. Candidates that send the requested
 * partial images come first.
 * @throws {GatewayError} 400 with the first candidate's refusal, if no candidate remains
 */
function pricedCandidates<Candidate extends BatchCandidate>(
  task: ImageTask,
  candidates: Candidate[],
  onExcluded: OnExcluded | undefined,
): Candidate[] {
  let refusal: unknown;
  const priced = candidates.flatMap((candidate) => {
    try {
      return [withPriceOf(task, candidate)];
    } catch (error) {
      refusal ??= error;
      onExcluded?.(candidate, 'request_not_supported', error);
      return [];
    }
  });
  if (priced.length === 0) throw refusal;
  const lacks = ({ target }: Candidate) => Number(untunable(task, target).includes('partial_images'));
  return priced.toSorted((a, b) => lacks(a) - lacks(b));
}
