/** A task in as many requests as its provider needs, and the vectors of all of them. */

import type { EmbeddingInput } from '../../embeddings/schema.ts';
import { dimensionsOf, type Vector } from '../../embeddings/vector.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { Ask, BatchEngine } from '../asks.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { EmbeddingCodec, EmbeddingTarget, EmbeddingTask } from './codec.ts';

/** A number as a text, with its comma. */
const MAX_BYTES_OF_NUMBER = 24;
/** Length of vectors if neither the request nor the catalog has one. No known model makes longer ones by default. */
const MAX_UNKNOWN_DIMENSIONS = 6_000;
/** Vectors of one answer. JSON of this size is parsed in some 50 ms, during which the process answers nobody. */
const MAX_VECTORS_BYTES = 8 * 1024 * 1024;
const ENVELOPE_BYTES = 64 * 1024;
/** Numbers of all vectors of a request: 2,048 vectors of 4,096 numbers, which are 180 MB of JSON for the client. */
const MAX_NUMBERS = 2_048 * 4_096;

/** The engine of a wire: a task in as many requests as its provider needs. */
export function embedder(codec: EmbeddingCodec): BatchEngine<EmbeddingTask, Vector[]> {
  return {
    ...codec,
    maxAsks: (task, target: EmbeddingTarget) => embeddingAsks(codec, task, target),
    async answer(task, target: EmbeddingTarget, send) {
      const asks = Array.from(embeddingAsks(codec, task, target));
      const answers = await Promise.all(
        asks.map(async (ask) => {
          const vectors = codec.vectorsIn(await send(ask));
          if (vectors.length !== ask.inputs) throw notVectors('another number of vectors than it was asked for');
          return vectors;
        }),
      );
      return checkedVectors(answers.flat(), task.dimensions);
    },
  };
}

/** All requests of a task, in the order of its inputs. @throws {GatewayError} 400 for a task that the endpoint cannot take */
function* embeddingAsks(
  codec: EmbeddingCodec,
  task: EmbeddingTask,
  target: EmbeddingTarget,
): Generator<Ask & { inputs: number }> {
  const { max_inputs: maxInputs = codec.maxInputs, max_request_bytes: maxBytes = Infinity } = target.quirks;
  const dimensions = task.dimensions ?? target.quirks.vector_dimensions;
  if (dimensions !== undefined) refuseTooManyNumbers(task.inputs.length, dimensions);
  // Also with base64, which is four times smaller: some servers send numbers to every request.
  const maxBytesOfVector = MAX_BYTES_OF_NUMBER * (dimensions ?? MAX_UNKNOWN_DIMENSIONS);
  const fitting = Math.max(1, Math.floor(MAX_VECTORS_BYTES / maxBytesOfVector));
  for (const inputs of batches(task.inputs, Math.min(maxInputs, fitting), maxBytes)) {
    yield {
      request: codec.requestFor({ ...task, inputs }, target),
      outputTokens: 0,
      inputs: inputs.length,
      estimatedTokens: estimatedTokens(inputs),
      maxAnswerBytes: ENVELOPE_BYTES + inputs.length * (maxBytesOfVector + BYTES_AROUND_VECTOR),
    };
  }
}

/** Tokens that the client sent count as they are; texts by their own bytes, without the JSON around them. */
function estimatedTokens(inputs: readonly EmbeddingInput[]): number {
  return inputs
    .map((input) => (typeof input === 'string' ? Math.ceil(Buffer.byteLength(input) / 4) : input.length))
    .reduce((sum, tokens) => sum + tokens, 0);
}

/** Index, kind and usage of a vector. */
const BYTES_AROUND_VECTOR = 256;

/** @throws {GatewayError} 400 */
function refuseTooManyNumbers(inputs: number, dimensions: number): void {
  const most = Math.floor(MAX_NUMBERS / dimensions);
  if (inputs <= most) return;
  throw invalidRequest(
    'input',
    `must have at most ${most} elements with vectors of ${dimensions} numbers; send fewer texts at a time`,
  );
}

/** @throws {UpstreamError} for others than were asked for */
function checkedVectors(vectors: Vector[], wanted: number | undefined): Vector[] {
  const dimensions = wanted ?? dimensionsOf(vectors[0]!);
  for (const vector of vectors) {
    const own = dimensionsOf(vector);
    if (own === 0 || !Number.isInteger(own)) throw notVectors('what is not a vector');
    if (own !== dimensions) throw notVectors('vectors of another length than was asked for');
  }
  return vectors;
}

function notVectors(what: string): UpstreamError {
  return new UpstreamError('malformed', `The provider sent ${what}`);
}

/** A text that is larger than a request may be goes alone: its provider says what is wrong with it. */
function* batches<Input extends EmbeddingTask['inputs'][number]>(
  inputs: readonly Input[],
  maxInputs: number,
  maxBytes: number,
): Generator<Input[]> {
  let batch: Input[] = [];
  let bytes = 0;
  for (const input of inputs) {
    const size = Buffer.byteLength(typeof input === 'string' ? input : JSON.stringify(input));
    if (batch.length > 0 && (batch.length === maxInputs || bytes + size > maxBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(input);
    bytes += size;
  }
  yield batch;
}
