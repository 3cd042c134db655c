/** Rerank with Amazon Bedrock's agent runtime, which reports no usage. */

import { invalidRequest } from '../../platform/errors.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import type { RerankCodec } from './codec.ts';

/**
 * Tokens per chunk. Each chunk of a document is billed as a document, together with the query (price list of Amazon
 * Bedrock).
 */
const BEDROCK_CHUNK_TOKENS = 512;
/** Maximum length of a query, and of each document, in characters (RerankTextDocument). */
const MAX_TEXT_CHARACTERS = 32_000;

export const bedrockRerank: RerankCodec = {
  tokensPerChunk: BEDROCK_CHUNK_TOKENS,
  requestFor({ query, documents, topN }, { upstreamModel }) {
    refuseLongText('query', query);
    documents.forEach((text, index) => refuseLongText(`documents.${index}`, text));
    return jsonRequest('/rerank', {
      queries: [{ type: 'TEXT', textQuery: { text: query } }],
      sources: documents.map((text) => ({
        type: 'INLINE',
        inlineDocumentSource: { type: 'TEXT', textDocument: { text } },
      })),
      rerankingConfiguration: {
        type: 'BEDROCK_RERANKING_MODEL',
        bedrockRerankingConfiguration: { modelConfiguration: { modelArn: upstreamModel }, numberOfResults: topN },
      },
    });
  },
  resultsIn: (body) => recordOrEmpty(body)['results'],
  scoreIn: ({ relevanceScore }) => relevanceScore,
  readUsage: () => undefined,
};

function refuseLongText(field: string, text: string): void {
  if (text.length <= MAX_TEXT_CHARACTERS) return;
  throw invalidRequest(field, `must have at most ${MAX_TEXT_CHARACTERS} characters for this model`);
}
