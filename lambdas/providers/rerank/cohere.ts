/** Rerank with Cohere's own API, version 2. */

import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import { rerankUsage } from './usage.ts';
import type { RerankCodec } from './codec.ts';

/** Tokens per chunk. Each chunk of a longer document is billed as a document, together with the query. */
const COHERE_CHUNK_TOKENS = 500;
/** Cohere's default for max_tokens_per_doc. */
const DEFAULT_TOKENS_PER_DOC = 4_096;

export const cohereRerank: RerankCodec = {
  tokensPerChunk: COHERE_CHUNK_TOKENS,
  defaultTokensPerDoc: DEFAULT_TOKENS_PER_DOC,
  requestFor: ({ query, documents, topN, maxTokensPerDoc }, { upstreamModel }) =>
    jsonRequest('/rerank', {
      model: upstreamModel,
      query,
      documents,
      top_n: topN,
      ...(maxTokensPerDoc === undefined ? {} : { max_tokens_per_doc: maxTokensPerDoc }),
    }),
  resultsIn: (body) => recordOrEmpty(body)['results'],
  scoreIn: ({ relevance_score }) => relevance_score,
  /** Returns the reported search units or, for models that are billed by tokens, the reported tokens. */
  readUsage(body) {
    const { search_units, input_tokens, total_tokens } = recordOrEmpty(
      recordOrEmpty(recordOrEmpty(body)['meta'])['billed_units'],
    );
    return rerankUsage(search_units, input_tokens, total_tokens);
  },
};
