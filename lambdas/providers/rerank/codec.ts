import type { RerankQuirks } from '../../catalog/rerank-quirks.ts';
import type { BatchReader } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

export interface RerankTask {
  query: string;
  documents: readonly string[];
  /** Number of results, at most the number of documents. */
  topN: number;
  /** Number of tokens of each document that the model reads; the rest is cut off. Undefined: the provider's default. */
  maxTokensPerDoc: number | undefined;
}

export interface RankedDocument {
  index: number;
  score: number;
}

export type RerankTarget = WireTarget<RerankQuirks>;

export interface RerankCodec extends BatchReader {
  /** Number of tokens that the provider bills as one document: the query and one chunk of a document. */
  tokensPerChunk: number;
  /** Number of tokens of each document that the model reads if the task sets no maximum. Default: all. */
  defaultTokensPerDoc?: number;
  /**
   * Encodes the request for a task.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: RerankTask, target: RerankTarget): WireRequest;
  /** Returns the results in a response. The caller checks the results. */
  resultsIn(body: unknown, target: RerankTarget): unknown;
  /** Returns the score in a result. The caller checks the score. */
  scoreIn(result: Record<string, unknown>): unknown;
}
