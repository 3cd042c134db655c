import { imagesOf, isContent, type EmbeddingInput } from '../../embeddings/schema.ts';
import { dimensionsOf, type Vector } from '../../embeddings/vector.ts';
import { MAX_BILLED_PIXELS } from '../../catalog/billing-units.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { BatchRequest, BatchEngine } from '../batch-engine.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { withPictureTokens } from '../picture-tokens.ts';
import type { EmbeddingCodec, EmbeddingTarget, EmbeddingTask } from './codec.ts';
import { textBytes } from './requests.ts';

/** Maximum length of one number in a vector's JSON, with its comma, in bytes. */
const MAX_BYTES_OF_NUMBER = 24;
/** Assumed length of vectors of unknown length. No known model returns longer vectors by default. */
const MAX_UNKNOWN_DIMENSIONS = 6_000;
/** Maximum size of the vectors in one response. Parsing this JSON blocks the process for about 50 ms. */
const MAX_VECTORS_BYTES = 8 * 1024 * 1024;
const VECTOR_ENVELOPE_BYTES = 64 * 1024;
/** Maximum size of the images in one request, in base64. Cohere accepts 20 MB. */
const MAX_IMAGE_CHARACTERS = 16 * 1024 * 1024;
const DEFAULT_IMAGE_TOKENS = 6_000;
/** Maximum tokens that a provider adds to an input, for example a prompt that states the use of the vectors. */
const TOKENS_AROUND_INPUT = 128;
/** Maximum number of components in all vectors of a client's request, which have about 180 MB of JSON. */
const MAX_NUMBERS = 2_048 * 4_096;

/** Returns the engine for a codec. It splits a task into as many requests as the provider needs. */
export function embedder(codec: EmbeddingCodec): BatchEngine<EmbeddingTask, Vector[]> {
  return {
    ...codec,
    batchRequests: (task, target: EmbeddingTarget) => embeddingRequests(codec, task, target),
    async answer(task, target: EmbeddingTarget, send) {
      const requests = Array.from(embeddingRequests(codec, task, target));
      const answers = await Promise.all(
        requests.map(async (batchRequest) => {
          const vectors = codec.vectorsIn(await send(batchRequest));
          if (vectors.length !== batchRequest.inputs) throw notVectors('another number of vectors than requested');
          return vectors;
        }),
      );
      return checkedVectors(answers.flat(), task.dimensions);
    },
  };
}

/**
 * Yields the requests for a task.
 * @throws {GatewayError} 400 for a task that the endpoint does not support, or whose vectors are too long together
 */
function* embeddingRequests(
  codec: EmbeddingCodec,
  task: EmbeddingTask,
  target: EmbeddingTarget,
): Generator<BatchRequest & { inputs: number }> {
  const { max_inputs: maxInputs = codec.maxInputs, max_request_bytes: maxBytes = Infinity } = target.quirks;
  const dimensions = task.dimensions ?? target.quirks.vector_dimensions;
  if (dimensions !== undefined) refuseTooManyNumbers(task.inputs.length, dimensions);
  const plain = task.inputs.map(plainInput);
  refuseContent(plain, target);
  // Maximum size of a vector, in bytes. Base64 is smaller, but some servers ignore it and send numbers.
  const maxBytesOfVector = MAX_BYTES_OF_NUMBER * (dimensions ?? MAX_UNKNOWN_DIMENSIONS);
  const fitting = Math.max(1, Math.floor(MAX_VECTORS_BYTES / maxBytesOfVector));
  for (const inputs of batches(plain, Math.min(maxInputs, fitting), maxBytes)) {
    yield {
      request: codec.requestFor({ ...task, inputs, dimensions: sentDimensions(task, target) }, target),
      outputTokens: 0,
      inputs: inputs.length,
      estimatedPrompt: { inputTokens: estimatedTokens(inputs) },
      ...promptedBound(task, target),
      ...imageBounds(codec, inputs, target),
      maxAnswerBytes: VECTOR_ENVELOPE_BYTES + inputs.length * (maxBytesOfVector + BYTES_AROUND_VECTOR),
    };
  }
}

/**
 * Returns the length to request. A model with only one length gets none: its provider refuses the field, also with this
 * length (https://github.com/agentjido/req_llm/issues/748).
 */
function sentDimensions({ dimensions }: EmbeddingTask, target: EmbeddingTarget): number | undefined {
  const isOnlyLength = isOwnLength(dimensions, target) && !target.supportedParameters.includes('dimensions');
  return isOnlyLength ? undefined : dimensions;
}

/** Returns whether a length is the one that the model's vectors have if a request names none. */
export function isOwnLength(dimensions: number | undefined, { quirks }: EmbeddingTarget): boolean {
  return dimensions !== undefined && dimensions === quirks.vector_dimensions;
}

/**
 * Returns the estimated tokens of inputs. Token lists are counted exactly. Text counts as one token per four bytes,
 * without the JSON around it.
 */
function estimatedTokens(inputs: readonly EmbeddingInput[]): number {
  return inputs.reduce((sum, input) => sum + Math.ceil(textBytes(input) / 4), 0);
}

/** Returns the input in its simplest form: content that consists of one text becomes that text. */
function plainInput(input: EmbeddingInput): EmbeddingInput {
  if (!isContent(input)) return input;
  const [part, ...more] = input.content;
  return part?.type === 'text' && more.length === 0 ? part.text : input;
}

/**
 * Refuses inputs that an endpoint for texts does not accept.
 * @throws {GatewayError} 400 for images, or several texts for one vector
 */
function refuseContent(inputs: readonly EmbeddingInput[], { quirks }: EmbeddingTarget): void {
  if (quirks.takes_images === true || !inputs.some(isContent)) return;
  const rule = inputs.some((input) => imagesOf(input).length > 0)
    ? 'has an image, and this model takes only texts; GET /embeddings/models lists models with the input modality image'
    : 'must have one text in each "content" for this model';
  throw invalidRequest('input', rule);
}

/** Adds the tokens of the prompt that providers such as Voyage and NIM add to each text. */
function promptedBound(
  { inputType }: EmbeddingTask,
  { quirks: { embeddings_form: form } }: EmbeddingTarget,
): Partial<BatchRequest> {
  return form === 'nim' || (form && inputType) ? { repeated: '' } : {};
}

/** Bounds and estimates for a request with images, whose size does not limit its tokens. */
function imageBounds(
  { billsImageTokens = false }: EmbeddingCodec,
  inputs: readonly EmbeddingInput[],
  { quirks }: EmbeddingTarget,
): Partial<BatchRequest> {
  const images = inputs.reduce((sum, input) => sum + imagesOf(input).length, 0);
  if (images === 0) return {};
  const imageTokens = billsImageTokens ? images * (quirks.max_image_tokens ?? DEFAULT_IMAGE_TOKENS) : 0;
  const text = inputs.reduce((sum, input) => sum + textBytes(input) + TOKENS_AROUND_INPUT, 0);
  const pixels = images * MAX_BILLED_PIXELS;
  return {
    promptTokens: text + imageTokens,
    pieces: { pricedImages: { max: images, estimated: images }, imagePixels: { max: pixels, estimated: pixels } },
    estimatedPrompt: { inputTokens: estimatedTokens(inputs), imageInputTokens: imageTokens },
    ...(billsImageTokens ? { billedUsage: withPictureTokens } : {}),
  };
}

/** Maximum size of the JSON around a vector (index, object type and usage), in bytes. */
const BYTES_AROUND_VECTOR = 256;

/**
 * Refuses a task whose vectors would have too many components.
 * @throws {GatewayError} 400 above MAX_NUMBERS components
 */
function refuseTooManyNumbers(inputs: number, dimensions: number): void {
  const most = Math.floor(MAX_NUMBERS / dimensions);
  if (inputs <= most) return;
  throw invalidRequest(
    'input',
    `must have at most ${most} elements with vectors of ${dimensions} numbers; send fewer texts at a time`,
  );
}

/**
 * Returns the vectors if all have the requested length or, if no length was requested, the same length.
 * @throws {UpstreamError} for values that are not vectors, or vectors of another length
 */
function checkedVectors(vectors: Vector[], wanted: number | undefined): Vector[] {
  const dimensions = wanted ?? dimensionsOf(vectors[0]!);
  for (const vector of vectors) {
    const own = dimensionsOf(vector);
    if (own === 0 || !Number.isInteger(own)) throw notVectors('a value that is not a vector');
    if (own !== dimensions) throw notVectors('vectors of another length than requested');
  }
  return vectors;
}

function notVectors(what: string): UpstreamError {
  return new UpstreamError('malformed', `The provider sent ${what}`);
}

/** Splits inputs into batches. An input above the size limit gets its own batch, which the provider may reject. */
function* batches<Input extends EmbeddingTask['inputs'][number]>(
  inputs: readonly Input[],
  maxInputs: number,
  maxBytes: number,
): Generator<Input[]> {
  let batch: Input[] = [];
  let [bytes, imageCharacters] = [0, 0];
  for (const input of inputs) {
    const size = Array.isArray(input) ? JSON.stringify(input).length : textBytes(input);
    const imageSize = imagesOf(input).reduce((sum, url) => sum + url.length, 0);
    const isFull = batch.length === maxInputs || bytes + size > maxBytes;
    if (batch.length > 0 && (isFull || imageCharacters + imageSize > MAX_IMAGE_CHARACTERS)) {
      yield batch;
      batch = [];
      [bytes, imageCharacters] = [0, 0];
    }
    batch.push(input);
    bytes += size;
    imageCharacters += imageSize;
  }
  yield batch;
}
