/** A task in as many requests as its provider needs, and the vectors of all of them. */

import { dimensionsOf, type Vector } from '../../embeddings/vector.ts';
import type { Ask, Send } from '../asks.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { EmbeddingEngine, EmbeddingTarget, EmbeddingTask } from './engine.ts';

/** A number as a text, with its comma. */
const MAX_BYTES_OF_NUMBER = 24;
/** Where a task does not say how long its vectors are: no model makes longer ones unasked. */
const USUAL_MAX_DIMENSIONS = 6_000;
/** Of one answer: what a model of three thousand dimensions makes of eight hundred texts, as texts. */
const MAX_VECTORS_BYTES = 48 * 1024 * 1024;
const ENVELOPE_BYTES = 64 * 1024;

/** All requests of a task, in the order of its inputs. @throws {GatewayError} 400 for what the endpoint cannot be asked */
export function* embeddingAsks(
  engine: EmbeddingEngine,
  task: EmbeddingTask,
  target: EmbeddingTarget,
): Generator<Ask & { inputs: number }> {
  const { max_inputs: maxInputs = engine.maxInputs, max_request_bytes: maxBytes = Infinity } = target.quirks;
  const { dimensions = USUAL_MAX_DIMENSIONS } = task;
  const maxBytesOfVector = MAX_BYTES_OF_NUMBER * Math.max(USUAL_MAX_DIMENSIONS, dimensions);
  // Longer vectors than usual come in answers that are not larger than usual.
  const fitting = dimensions > USUAL_MAX_DIMENSIONS ? Math.floor(MAX_VECTORS_BYTES / maxBytesOfVector) : Infinity;
  for (const inputs of batches(task.inputs, Math.min(maxInputs, fitting), maxBytes)) {
    yield {
      request: engine.requestFor({ ...task, inputs }, target),
      outputTokens: 0,
      inputs: inputs.length,
      maxAnswerBytes: ENVELOPE_BYTES + Math.min(MAX_VECTORS_BYTES, inputs.length * maxBytesOfVector),
    };
  }
}

/** One vector for each input. @throws {UpstreamError} for an answer that has others than were asked for */
export async function embed(
  engine: EmbeddingEngine,
  task: EmbeddingTask,
  target: EmbeddingTarget,
  send: Send,
): Promise<Vector[]> {
  const asks = Array.from(embeddingAsks(engine, task, target));
  const answers = await Promise.all(
    asks.map(async (ask) => {
      const vectors = engine.vectorsIn(await send(ask));
      if (vectors.length !== ask.inputs) throw notVectors('another number of vectors than it was asked for');
      return vectors;
    }),
  );
  const vectors = answers.flat();
  const dimensions = task.dimensions ?? dimensionsOf(vectors[0]!);
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
