import type { ImageOptions } from '../../catalog/image-options.ts';
import { isBase64 } from '../../platform/base64.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { BatchEngine, BatchRequest, FollowUps, StreamPart } from '../batch-engine.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { WireUsage } from '../../messages/types.ts';
import { countOrAbsent } from '../../messages/usage-counts.ts';
import { withPictureTokens } from '../picture-tokens.ts';
import type { WireTarget } from '../wire.ts';
import type {
  Drawing,
  DrawnEvent,
  DrawnImage,
  ImageCodec,
  ImageEvent,
  ImageFile,
  ImagesAnswer,
  ImageTarget,
  ImageTask,
} from './codec.ts';
import { imageSettings } from './settings.ts';
import { maxTokensOfKind } from './sizes.ts';
import { sniffedImageType } from '../sniff-image.ts';

/** Maximum size of an image, in bytes. The largest images of providers, 4K PNG files, have about 25 MB. */
const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
/** Maximum size of all images of a request together, in base64. They are in memory until the answer is sent. */
const MAX_IMAGES_CHARACTERS = 128 * 1024 * 1024;
const IMAGE_ENVELOPE_BYTES = 64 * 1024;
const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4;
const MAX_IMAGE_EVENT_BYTES = IMAGE_ENVELOPE_BYTES + base64Length(MAX_IMAGE_BYTES);
const DEFAULT_REFERENCE_TOKENS = 10_000;
const DRAWING_TEMPLATE_TOKENS = 512;
const BYTES_PER_PROMPT_TOKEN = 4;
/** Output tokens that OpenAI charges for each partial image, in addition to the tokens of the finished image. */
const PARTIAL_IMAGE_TOKENS = 100;

/** Returns the engine for an image API. A task for many images may become several requests to the provider. */
export function drawer(codec: ImageCodec): BatchEngine<ImageTask, ImagesAnswer> {
  return {
    readUsage: (body, headers, target) => billedUsage(codec.readUsage(body, headers, target), target),
    *batchRequests(task, target) {
      for (const drawing of drawingsOf(task, imageTarget(target))) {
        yield drawingRequest(codec, drawing, imageTarget(target));
      }
    },
    async answer(task, target, send, followUps: FollowUps) {
      const one = async (drawing: Drawing) => {
        const request = drawingRequest(codec, drawing, imageTarget(target));
        const images = await codec.imagesIn(await send(request), imageTarget(target), followUps);
        if (images.length === 0) throw new UpstreamError('malformed', 'The provider sent no image');
        if (images.length > drawing.count) throw new UpstreamError('malformed', 'The provider sent too many images');
        return Promise.all(images.map((image) => checkedFile(image, followUps)));
      };
      const drawings = drawingsOf(task, imageTarget(target));
      const [{ partialImages: partials = 0 } = {}] = drawings;
      if (partials > 0) {
        return send.open(drawingRequest(codec, drawings[0]!, imageTarget(target)), (response) =>
          filesIn(codec.decode!(response, MAX_IMAGE_EVENT_BYTES), { partials, target, followUps }),
        );
      }
      const files = (await Promise.all(drawings.map(one))).flat();
      const characters = files.reduce((sum, { base64 }) => sum + base64.length, 0);
      if (characters > MAX_IMAGES_CHARACTERS) throw new UpstreamError('too_large', 'The images are too large together');
      return task.partialImages === undefined ? files : { parts: finishedParts(files) };
    },
  };
}

/** Yields the images of an answer that the provider did not stream, without usage: the answer is already charged. */
async function* finishedParts(files: readonly ImageFile[]): AsyncGenerator<StreamPart<ImageEvent>, void> {
  for (const file of files) yield { event: { file } };
}

interface StreamedDrawing {
  partials: number;
  target: WireTarget;
  followUps: FollowUps;
}

/**
 * Checks the images of a streamed answer, and yields their files.
 * @throws {UpstreamError} for anything that is not an image, and for more partial images than were requested
 */
async function* filesIn(
  parts: AsyncGenerator<StreamPart<DrawnEvent>, void>,
  { partials, target, followUps }: StreamedDrawing,
): AsyncGenerator<StreamPart<ImageEvent>, void> {
  let sent = 0;
  for await (const { event, usage, ...part } of parts) {
    const reported = billedUsage(usage, target);
    const shared = reported ? { ...part, usage: reported } : part;
    if (!event) {
      yield shared;
      continue;
    }
    const partialIndex = event.isPartial ? sent++ : undefined;
    if (sent > partials) throw new UpstreamError('malformed', 'The provider sent too many partial images');
    yield { ...shared, event: { file: await checkedFile(event.image, followUps), partialIndex } };
  }
}

/**
 * Returns the usage to charge. Without prices for tokens, only images are charged. With such prices, a report of no
 * tokens counts as no report, because every image has tokens.
 */
function billedUsage(usage: WireUsage | undefined, target: WireTarget | undefined): WireUsage | undefined {
  if (!usage || target?.image?.tokens) return countOrAbsent(usage?.output_tokens) ? usage : undefined;
  return { output_images: usage['output_images'], input_tokens: 0, output_tokens: 0 };
}

function imageTarget(target: WireTarget): ImageTarget {
  const { image } = target;
  if (!image) throw invalidRequest('model', 'draws no images here; GET /images/models lists the models that do');
  return { ...target, image };
}

/**
 * Splits a task into the parts that single requests cover.
 * @throws {GatewayError} 400 for a task that the endpoint does not support
 */
function drawingsOf(task: ImageTask, target: ImageTarget): Drawing[] {
  const { image: options } = target;
  const { max_images: atOnce = 1, max_references: maxPictures = 0, max_prompt_characters: maxCharacters } = options;
  const { prompt, count, pictures, mask } = task;
  if (maxCharacters !== undefined && prompt.length > maxCharacters) {
    throw invalidRequest('prompt', `must have at most ${maxCharacters} characters for this model`);
  }
  if (pictures.length > maxPictures) {
    const rule = maxPictures === 0 ? 'takes no pictures' : `takes at most ${maxPictures} pictures`;
    throw invalidRequest('input_references', `must be shorter: this model ${rule}`);
  }
  if (mask && !target.supportedParameters.includes('mask')) {
    throw invalidRequest('mask', 'is not supported by this model; leave it out');
  }
  const settings = imageSettings(task, options, target);
  const drawings: Drawing[] = [];
  for (let left = count; left > 0; left -= atOnce) {
    // Each request gets another seed, because equal seeds would produce equal images.
    const seed = settings.seed === undefined ? undefined : settings.seed + drawings.length;
    const partialImages = partialImagesOf(task, options);
    drawings.push({ ...settings, seed, prompt, count: Math.min(atOnce, left), pictures, mask, partialImages });
  }
  return drawings;
}

/**
 * Returns the number of partial images to request, at most the endpoint's maximum. OpenAI's reference also allows fewer
 * partial images than requested.
 */
function partialImagesOf({ partialImages = 0 }: ImageTask, { max_partial_images: most = 0 }: ImageOptions) {
  return Math.min(partialImages, most) || undefined;
}

function drawingRequest(codec: ImageCodec, drawing: Drawing, target: ImageTarget): BatchRequest {
  const { image: options } = target;
  const { prompt, pictures, count, partialImages = 0 } = drawing;
  const drawnTokens = options.tokens ? count * maxTokensOfKind(drawing, options.tokens) : 0;
  const outputTokens = options.tokens ? drawnTokens + partialImages * PARTIAL_IMAGE_TOKENS : 0;
  const textTokens = Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_PROMPT_TOKEN);
  const pictureTokens = pictures.length * (options.reference_tokens ?? DEFAULT_REFERENCE_TOKENS);
  return {
    request: codec.requestFor(drawing, target),
    isSentOnce: true,
    outputTokens,
    promptTokens: options.tokens ? Buffer.byteLength(prompt) + DRAWING_TEMPLATE_TOKENS + pictureTokens : 0,
    pieces: { outputImages: exactly(count), pricedImages: exactly(pictures.length) },
    ...(options.tokens ? { estimatedUsage: drawnUsage(count, outputTokens) } : {}),
    ...(pictureTokens > 0 ? { billedUsage: withPictureTokens } : {}),
    estimatedPrompt: options.tokens ? { inputTokens: textTokens, imageInputTokens: pictureTokens } : { inputTokens: 0 },
    maxAnswerBytes:
      IMAGE_ENVELOPE_BYTES + Math.min(MAX_IMAGES_CHARACTERS, (count + partialImages) * base64Length(MAX_IMAGE_BYTES)),
  };
}

const exactly = (count: number) => ({ max: count, estimated: count });

function drawnUsage(count: number, tokens: number): WireUsage {
  return { output_images: count, output_tokens: tokens, output_tokens_details: { image_tokens: tokens } };
}

/**
 * Returns the file of an image, after a download if it is at a URL.
 * @throws {UpstreamError} for anything but a PNG, JPEG or WebP image of a bounded size
 */
async function checkedFile(image: DrawnImage, { download }: FollowUps): Promise<ImageFile> {
  const base64 = 'url' in image ? (await download(image.url, MAX_IMAGE_BYTES)).toString('base64') : image.base64;
  if (base64.length > base64Length(MAX_IMAGE_BYTES)) throw new UpstreamError('too_large', 'The image is too large');
  const mediaType = sniffedImageType(base64);
  if (mediaType === undefined || !isBase64(base64)) {
    throw new UpstreamError('malformed', 'The provider sent something that is not an image');
  }
  return { mediaType, base64 };
}
