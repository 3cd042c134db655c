/** Ranks texts: a query and documents become a request to a provider, and its response becomes a rank. */

import type { RerankQuirks } from '../../catalog/quirk-schemas.ts';
import type { BatchReader } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** Documents to rank by their relevance to a query. */
export interface RerankTask {
  query: string;
  documents: readonly string[];
  /** Number of results, at most the number of documents. */
  topN: number;
  /** Tokens of a document that are read; the rest is cut. */
  maxTokensPerDoc: number | undefined;
}

/** A document of the task by its index, and its score. */
export interface RankedDocument {
  index: number;
  score: number;
}

export type RerankTarget = WireTarget<RerankQuirks>;

export interface RerankCodec extends BatchReader {
  /** Tokens of a query and its part of a document that the provider counts as one document. */
  tokensPerChunk: number;
  /** Tokens of a document that are read if the task has no maximum; all if absent. */
  defaultTokensPerDoc?: number;
  /**
   * The request of a task.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: RerankTask, target: RerankTarget): WireRequest;
  /** The results in a response. They are not checked here; the caller does that. */
  resultsIn(body: unknown, target: RerankTarget): unknown;
  /** The score in a result, unchecked. */
  scoreIn(result: Record<string, unknown>): unknown;
  /** Whether the endpoint returns all documents, whatever number was requested. */
  returnsAll?(target: RerankTarget): boolean;
}
