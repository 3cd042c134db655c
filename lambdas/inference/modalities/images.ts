import { valueOfKind } from '../../catalog/image-options.ts';
import type { OpenBody } from '../../messages/open-body.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { FormFile } from '../../platform/form-file.ts';
import { pictureOfUrl } from '../../providers/data-url.ts';
import type { ImageTask } from '../../providers/images/codec.ts';
import { imageEngines } from '../../providers/images/engines.ts';
import { imageSettingNames, imageSettings, untunable } from '../../providers/images/settings.ts';
import { withRequestPrice } from '../../routing/dispatched-prices.ts';
import { acceptedBy } from '../../routing/exclusions.ts';
import type { BatchCandidate } from '../batch/offers.ts';
import { imageEvents, openaiImageEvents, type ImageEventsFor } from './image-events.ts';
import { createdImageBody, editedImageBody, type ImageBody } from './images-schema.ts';
import { candidatesWith, preferringListed } from './listed-fields.ts';
import { defineModality, plainRoute } from './modality.ts';
import { pictureAsUrl } from '../pictures.ts';

export const imagesModality = imagesFor(createdImageBody, imageEvents);
/** A streamed answer consists of the events of OpenAI's API. */
export const imageGenerationsModality = imagesFor(createdImageBody, openaiImageEvents('image_generation'));
export const imageEditsModality = imagesFor(editedImageBody, openaiImageEvents('image_edit'));

function imagesFor({ schema, unknownIn, knownIn }: OpenBody<ImageBody>, eventsFor: ImageEventsFor) {
  const taskOf = (body: ImageBody, [prompt = '']: readonly string[]) => imageTaskOf(knownIn(body), prompt);
  return defineModality({
    apiType: 'image',
    makes: 'image',
    accepts: { body: schema, exactWithin: ['max_price'] },
    prepare: async (body, signal) => ({ ...body, ...(await picturesOf(knownIn(body), signal)) }),
    leftOut: (body, target) => [...unknownIn(body), ...untunable(taskOf(body, []), target)],
    engines: imageEngines,
    textsOf: ({ prompt }) => [{ field: 'prompt', text: prompt }],
    taskOf,
    promptBytes: ({ prompt }) => Buffer.byteLength(prompt),
    routeOf: plainRoute,
    fitting: (task, candidates, onExcluded) => {
      const priced = acceptedBy(candidates, (candidate) => withPriceOf(task, candidate), onExcluded);
      const omitted = [...new Set(priced.flatMap(({ target }) => untunable(task, target)))];
      const accepts = ({ target }: BatchCandidate, name: string) => !untunable(task, target).includes(name);
      return task.requiresParameters
        ? candidatesWith(Object.fromEntries(omitted.map((name) => [name, true])), priced, onExcluded, accepts)
        : preferringListed(omitted, priced, accepts);
    },
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
    forwardedAs: (body, requestId) => (body.stream ? eventsFor(requestId, body) : undefined),
    outOfTime:
      'The image took longer than the gateway may wait. Ask for fewer images, a smaller size or a lower quality.',
  });
}

/** Returns the task of a request. A setting with the value `auto` is not sent, so the model chooses it. */
function imageTaskOf(body: ImageBody, prompt: string): ImageTask {
  const { n, mask, input_references: references, stream, partial_images: partialImages, provider } = body;
  const chosen = imageSettingNames.filter((name) => body[name] != null && body[name] !== 'auto');
  return {
    ...Object.fromEntries(chosen.map((name) => [name, body[name]])),
    prompt,
    count: n ?? 1,
    pictures: (references ?? []).map(({ image_url: { url } }) => pictureOfUrl(url)),
    mask: mask && 'image_url' in mask ? pictureOfUrl(mask.image_url) : undefined,
    partialImages: stream ? (partialImages ?? 0) : undefined,
    requiresParameters: provider?.require_parameters === true,
  };
}

/** Reads the pictures of a body, which are URLs or files of a form, and returns data URLs. */
async function picturesOf(
  { input_references: references, image: files, images, mask }: ImageBody,
  signal: AbortSignal | undefined,
): Promise<Pick<ImageBody, 'input_references' | 'mask'>> {
  const read = ([picture, field]: readonly [string | FormFile, string]) => pictureAsUrl(picture, field, signal);
  const sent = [
    ...(references ?? []).map(({ image_url: { url } }, at) => [url, `input_references.${at}.image_url.url`] as const),
    ...(files ?? []).map((file, at) => [file, `image.${at}`] as const),
    ...(images ?? []).map(({ image_url: url }, at) => [url, `images.${at}.image_url`] as const),
  ];
  const urls = await Promise.all(sent.map(read));
  const sentMask =
    mask && ('image_url' in mask ? ([mask.image_url, 'mask.image_url'] as const) : ([mask, 'mask'] as const));
  return {
    input_references: urls.map((url) => ({ type: 'image_url', image_url: { url } })),
    mask: sentMask && { image_url: await read(sentMask) },
  };
}

/**
 * Returns the candidate with its price for images of the requested kind.
 * @throws {GatewayError} 400 for settings that the endpoint does not support
 */
function withPriceOf<Candidate extends BatchCandidate>(task: ImageTask, candidate: Candidate): Candidate {
  const { target } = candidate;
  if (!target.image) return candidate;
  const settings = imageSettings(task, target.image, target);
  const price = target.image.prices && valueOfKind(target.image.prices, settings);
  return price ? withRequestPrice(candidate, 'output_image', price) : candidate;
}
