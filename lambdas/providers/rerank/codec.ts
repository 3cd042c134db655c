/**
 * Interface of the rerank codecs: they encode a query and its documents as a request, and read the ranks in the
 * response.
 */

import type { RerankQuirks } from '../../catalog/quirk-schemas.ts';
import type { BatchReader } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** Documents to rank by their relevance to a query. */
export interface RerankTask {
  query: string;
  documents: readonly string[];
  /** Number of results, at most the number of documents. */
  topN: number;
  /** Number of tokens of each document that the model reads; the rest is cut off. Undefined: the provider's default. */
  maxTokensPerDoc: number | undefined;
}

/** A document of the task by its index, and its score. */
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
   * Returns the request of a task.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: RerankTask, target: RerankTarget): WireRequest;
  /** Returns the results in a response. The caller checks the results. */
  resultsIn(body: unknown, target: RerankTarget): unknown;
  /** Returns the score in a result. The caller checks the score. */
  scoreIn(result: Record<string, unknown>): unknown;
  /** Whether the endpoint returns all documents, even if fewer were requested. */
  returnsAll?(target: RerankTarget): boolean;
}
