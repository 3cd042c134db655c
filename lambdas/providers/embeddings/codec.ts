/** A way to embed: texts become requests to a provider, and its answers become vectors. */

import type { EmbeddingInput, InputType, VectorEncoding } from '../../embeddings/schema.ts';
import type { Vector } from '../../embeddings/vector.ts';
import type { EmbeddingsQuirks } from '../../catalog/quirk-schemas.ts';
import type { AskReader } from '../asks.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** Texts to embed, and how. */
export interface EmbeddingTask {
  inputs: readonly EmbeddingInput[];
  encoding: VectorEncoding;
  dimensions: number | undefined;
  inputType: InputType | undefined;
}

export type EmbeddingTarget = WireTarget<EmbeddingsQuirks>;

export interface EmbeddingCodec extends AskReader {
  /** The most inputs that one request may have, where the endpoint's quirks say nothing else. */
  maxInputs: number;
  /** The request for some of the inputs of a task. @throws {GatewayError} 400 for what it cannot ask */
  requestFor(task: EmbeddingTask, target: EmbeddingTarget): WireRequest;
  /** The vectors in an answer, in the order of its inputs. Whatever is no vector is found by whoever checks them. */
  vectorsIn(body: unknown): Vector[];
}
