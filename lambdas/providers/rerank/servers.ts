/** Rerank with Jina's API, and its variants at Voyage, vLLM, llama.cpp and Text Embeddings Inference. */

import type { RerankQuirks } from '../../catalog/rerank-quirks.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import { rerankUsage } from './usage.ts';
import type { RerankCodec, RerankTarget, RerankTask } from './codec.ts';

/**
 * Tokens per chunk. These providers bill tokens: search units have an effect only if the catalog has a price for them.
 */
const SERVER_CHUNK_TOKENS = 500;

interface ServerForm {
  body: (task: RerankTask, model: string) => object;
  results: (body: unknown) => unknown;
}

/**
 * Variants of the API. A variant that has a field for truncation sets it, so that the provider rejects a long text
 * instead of cutting it.
 */
const forms: Record<NonNullable<RerankQuirks['rerank_form']>, ServerForm> = {
  jina: {
    body: ({ query, documents, topN }, model) => ({ model, query, documents, top_n: topN, return_documents: false }),
    results: (body) => recordOrEmpty(body)['results'],
  },
  voyage: {
    body: ({ query, documents, topN }, model) => ({
      model,
      query,
      documents,
      top_k: topN,
      return_documents: false,
      truncation: false,
    }),
    results: (body) => recordOrEmpty(body)['data'],
  },
  tei: {
    body: ({ query, documents }) => ({
      query,
      texts: documents,
      raw_scores: false,
      return_text: false,
      truncate: false,
    }),
    results: (body) => body,
  },
};

const serverForm = ({ quirks: { rerank_form: form = 'jina' } }: RerankTarget) => forms[form];

export const serverRerank: RerankCodec = {
  tokensPerChunk: SERVER_CHUNK_TOKENS,
  requestFor: (task, target) => jsonRequest('/rerank', serverForm(target).body(task, target.upstreamModel)),
  resultsIn: (body, target) => serverForm(target).results(body),
  scoreIn: (result) => result['relevance_score'] ?? result['score'],
  readUsage(body) {
    const { usage, meta } = recordOrEmpty(body);
    const { total_tokens, prompt_tokens, search_units } = recordOrEmpty(usage);
    // Xinference has its count where Cohere has it (https://github.com/xorbitsai/inference/pull/1657).
    const { input_tokens } = recordOrEmpty(recordOrEmpty(meta)['tokens']);
    return rerankUsage(search_units, total_tokens, prompt_tokens, input_tokens);
  },
};
