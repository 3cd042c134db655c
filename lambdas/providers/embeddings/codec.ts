import type { EmbeddingInput, InputType, VectorEncoding } from '../../embeddings/schema.ts';
import type { Vector } from '../../embeddings/vector.ts';
import type { EmbeddingsQuirks } from '../../catalog/embeddings-quirks.ts';
import type { BatchReader } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

export interface EmbeddingTask {
  inputs: readonly EmbeddingInput[];
  encoding: VectorEncoding;
  dimensions: number | undefined;
  inputType: InputType | undefined;
}

export type EmbeddingTarget = WireTarget<EmbeddingsQuirks>;

export interface EmbeddingCodec extends BatchReader {
  /** Maximum number of inputs per request. The endpoint's quirks may set another maximum. */
  maxInputs: number;
  /** Whether the provider charges images by tokens, and not by number or by pixels. */
  billsImageTokens?: boolean;
  /**
   * Encodes a request for vectors.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: EmbeddingTask, target: EmbeddingTarget): WireRequest;
  /** Returns the vectors in a response, in the order of the inputs. The caller checks their count and length. */
  vectorsIn(body: unknown): Vector[];
}
