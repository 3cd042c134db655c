/** Embeds texts: texts become requests to a provider, and its responses become vectors. */

import type { EmbeddingInput, InputType, VectorEncoding } from '../../embeddings/schema.ts';
import type { Vector } from '../../embeddings/vector.ts';
import type { EmbeddingsQuirks } from '../../catalog/quirk-schemas.ts';
import type { AskReader } from '../asks.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** Texts to embed, with the settings for their vectors. */
export interface EmbeddingTask {
  inputs: readonly EmbeddingInput[];
  encoding: VectorEncoding;
  dimensions: number | undefined;
  inputType: InputType | undefined;
}

export type EmbeddingTarget = WireTarget<EmbeddingsQuirks>;

export interface EmbeddingCodec extends AskReader {
  /** Maximum number of inputs in a request, unless the endpoint's quirks set another. */
  maxInputs: number;
  /**
   * The request for some of the inputs of a task.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: EmbeddingTask, target: EmbeddingTarget): WireRequest;
  /** The vectors in a response, in the order of its inputs. They are not checked here; the caller does that. */
  vectorsIn(body: unknown): Vector[];
}
