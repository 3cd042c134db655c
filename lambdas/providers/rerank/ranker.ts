import { invalidRequest } from '../../platform/errors.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import type { BatchRequest, BatchEngine } from '../batch-engine.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { RankedDocument, RerankCodec, RerankTarget, RerankTask } from './codec.ts';
import { searchUnitsOf, USUAL_BYTES_PER_TOKEN } from './search-units.ts';

/** Maximum number of documents: the limit of Voyage and Bedrock, and Cohere's recommended maximum. */
const DEFAULT_MAX_DOCUMENTS = 1_000;
const RANK_ENVELOPE_BYTES = 64 * 1024;
const BYTES_PER_RESULT = 256;

/** Returns the engine of a wire. It never splits a task: some models compare the documents with each other. */
export function ranker(codec: RerankCodec): BatchEngine<RerankTask, RankedDocument[]> {
  return {
    ...codec,
    batchRequests: (task, target: RerankTarget) => [rerankRequest(codec, task, target)],
    async answer(task, target: RerankTarget, send) {
      const results = codec.resultsIn(await send(rerankRequest(codec, task, target)), target);
      const ranked = checkedResults(results, codec, task.documents.length);
      return ranked.toSorted((a, b) => b.score - a.score || a.index - b.index).slice(0, task.topN);
    },
  };
}

/**
 * Returns the request for a task.
 * @throws {GatewayError} 400 for a task that the endpoint does not support
 */
function rerankRequest(codec: RerankCodec, task: RerankTask, target: RerankTarget): BatchRequest {
  const { documents, query } = task;
  const { max_documents: maxDocuments = DEFAULT_MAX_DOCUMENTS } = target.quirks;
  if (documents.length > maxDocuments) {
    throw invalidRequest('documents', `must have at most ${maxDocuments} elements for this model`);
  }
  const request = codec.requestFor(task, target);
  const { tokensPerChunk, defaultTokensPerDoc = Infinity } = codec;
  const queryBytes = Buffer.byteLength(query);
  const bytes = documents.reduce((sum, text) => sum + queryBytes + Buffer.byteLength(text), 0);
  return {
    request,
    outputTokens: 0,
    inputs: documents.length,
    repeated: query,
    pieces: {
      searchUnits: searchUnitsOf(task, {
        tokensPerChunk,
        maxTokensPerDoc: task.maxTokensPerDoc ?? defaultTokensPerDoc,
      }),
    },
    estimatedPrompt: { inputTokens: Math.ceil(bytes / USUAL_BYTES_PER_TOKEN) },
    // Some servers always repeat the documents in the response, and may escape their characters.
    maxAnswerBytes: RANK_ENVELOPE_BYTES + documents.length * BYTES_PER_RESULT + 3 * Buffer.byteLength(request.body),
  };
}

/**
 * Returns at least one result, each with a score, and each for a different document of the request. Some servers ignore
 * the requested number and return all documents (https://github.com/mudler/LocalAI/issues/7189).
 * @throws {UpstreamError} if a check fails
 */
function checkedResults(results: unknown, codec: RerankCodec, documents: number): RankedDocument[] {
  if (!Array.isArray(results) || results.length === 0) throw notRanked('no results');
  if (results.length > documents) throw notRanked('more results than documents');
  const seen = new Set<number>();
  return results.map((result: unknown) => {
    const { index, score } = isRecord(result) ? { index: result['index'], score: codec.scoreIn(result) } : {};
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= documents) {
      throw notRanked('a result for a document that it did not get');
    }
    if (seen.has(index as number)) throw notRanked('two results for one document');
    if (!Number.isFinite(score)) throw notRanked('a result without a score');
    seen.add(index as number);
    return { index: index as number, score: score as number };
  });
}

function notRanked(what: string): UpstreamError {
  return new UpstreamError('malformed', `The provider sent ${what}`);
}
