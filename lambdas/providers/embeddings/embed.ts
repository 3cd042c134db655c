import { imagesOf, isContent, type EmbeddingInput } from '../../embeddings/schema.ts';
import { dimensionsOf, type Vector } from '../../embeddings/vector.ts';
import { MAX_BILLED_PIXELS } from '../../catalog/unit-lists.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { BatchRequest, BatchEngine } from '../batch-engine.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { EmbeddingCodec, EmbeddingTarget, EmbeddingTask } from './codec.ts';
import { textBytes } from './requests.ts';

/** Maximum length of one number in a vector's JSON, with its comma, in bytes. */
const MAX_BYTES_OF_NUMBER = 24;
/**
 * Assumed length of vectors if neither the request nor the catalog names a length. No known model returns longer
 * vectors by default.
 */
const MAX_UNKNOWN_DIMENSIONS = 6_000;
/**
 * Maximum size of the vectors in one response, in bytes. Parsing this much JSON takes about 50 ms, during which the
 * process handles no other request.
 */
const MAX_VECTORS_BYTES = 8 * 1024 * 1024;
const VECTOR_ENVELOPE_BYTES = 64 * 1024;
/** Maximum size of the images in one request, in base64. Cohere accepts 20 MB. */
const MAX_IMAGE_CHARACTERS = 16 * 1024 * 1024;
const DEFAULT_IMAGE_TOKENS = 6_000;
/** Maximum tokens that a provider adds to an input, for example the prompt for its use. */
const TOKENS_AROUND_INPUT = 128;
/**
 * Maximum number of components in all vectors of a client's request: 2,048 vectors of 4,096 components. The client's
 * response then has about 180 MB of JSON.
 */
const MAX_NUMBERS = 2_048 * 4_096;

/**
 * Returns an embedding engine for a wire's codec. The engine splits a task into as many requests as the provider needs.
 */
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
 * Yields all requests of a task, in the order of its inputs.
 * @throws {GatewayError} 400 for a task that the endpoint does not support
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
  // Maximum size of a vector in bytes, as JSON numbers. Base64 takes a quarter of this size, but some servers ignore
  // the requested format and send numbers.
  const maxBytesOfVector = MAX_BYTES_OF_NUMBER * (dimensions ?? MAX_UNKNOWN_DIMENSIONS);
  const fitting = Math.max(1, Math.floor(MAX_VECTORS_BYTES / maxBytesOfVector));
  for (const inputs of batches(plain, Math.min(maxInputs, fitting), maxBytes)) {
    yield {
      request: codec.requestFor({ ...task, inputs }, target),
      outputTokens: 0,
      inputs: inputs.length,
      estimatedTokens: estimatedTokens(inputs),
      ...promptedBound(task, target),
      ...imageBounds(codec, inputs, target),
      maxAnswerBytes: VECTOR_ENVELOPE_BYTES + inputs.length * (maxBytesOfVector + BYTES_AROUND_VECTOR),
    };
  }
}

/**
 * Estimates the tokens of inputs. Inputs that are token lists are counted exactly. Text is estimated at one token per
 * four bytes, without the JSON around it.
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
 * @throws {GatewayError} 400 for images, and for several texts for one vector, at an endpoint that accepts only texts
 */
function refuseContent(inputs: readonly EmbeddingInput[], { quirks }: EmbeddingTarget): void {
  if (quirks.takes_images === true || !inputs.some(isContent)) return;
  const rule = inputs.some((input) => imagesOf(input).length > 0)
    ? 'has an image, and this model takes only texts; GET /embeddings/models lists models with the input modality image'
    : 'must have one text in each "content" for this model';
  throw invalidRequest('input', rule);
}

/** Adds the tokens of the prompt for their use that providers such as Voyage and NIM add to each text. */
function promptedBound(
  { inputType }: EmbeddingTask,
  { quirks: { embeddings_form: form } }: EmbeddingTarget,
): Partial<BatchRequest> {
  return form === 'nim' || (form && inputType) ? { repeated: '' } : {};
}

/**
 * Returns the maximum tokens, images and pixels of a request with images, because the size of such a request does not
 * limit its tokens.
 */
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
    estimatedUsage: { input_tokens: estimatedTokens(inputs), image_input_tokens: imageTokens, output_tokens: 0 },
  };
}

/** Maximum size of the JSON around a vector (index, object type and usage), in bytes. */
const BYTES_AROUND_VECTOR = 256;

/** @throws {GatewayError} 400 if the vectors would have more than MAX_NUMBERS components */
function refuseTooManyNumbers(inputs: number, dimensions: number): void {
  const most = Math.floor(MAX_NUMBERS / dimensions);
  if (inputs <= most) return;
  throw invalidRequest(
    'input',
    `must have at most ${most} elements with vectors of ${dimensions} numbers; send fewer texts at a time`,
  );
}

/**
 * @throws {UpstreamError} for a value that is not a vector, or a vector whose length differs from the requested length,
 *   or from the length of the first vector
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

/**
 * Splits inputs into batches. A text above the size limit gets its own batch, for which the provider then reports the
 * error.
 */
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
