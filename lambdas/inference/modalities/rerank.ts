import { invalidRequest } from '../../platform/errors.ts';
import type { RerankTask } from '../../providers/rerank/codec.ts';
import { rerankEngines } from '../../providers/rerank/engines.ts';
import { candidatesWith } from './listed-fields.ts';
import { defineModality, plainRoute } from './modality.ts';
import { rankedText, rerankBody } from './rerank-schema.ts';

export const rerankModality = defineModality({
  apiType: 'rerank',
  makes: 'rerank',
  accepts: { body: rerankBody.schema, exactWithin: ['max_price'] },
  leftOut: rerankBody.unknownIn,
  engines: rerankEngines,
  textsOf: ({ query, documents, rank_fields: ranked }) => [
    { field: 'query', text: query },
    ...documents.map((document, index) => ({
      // If several fields of a document are ranked, they become one text, and errors name the whole document.
      field: ['documents', index, ...(typeof document === 'string' || ranked?.[1] ? [] : (ranked ?? ['text']))].join(
        '.',
      ),
      text: rankedText(document, ranked),
    })),
  ],
  taskOf: ({ documents, top_n, top_k, max_tokens_per_doc }, [query = '', ...texts]): RerankTask => ({
    query,
    documents: texts,
    topN: Math.min(top_n ?? top_k ?? documents.length, documents.length),
    maxTokensPerDoc: max_tokens_per_doc ?? undefined,
  }),
  // The model reads the query once for each document.
  promptBytes: ({ query, documents }) =>
    documents.reduce((bytes, text) => bytes + Buffer.byteLength(text), Buffer.byteLength(query) * documents.length),
  routeOf: plainRoute,
  fitting: ({ maxTokensPerDoc }, candidates, onExcluded) =>
    candidatesWith({ max_tokens_per_doc: maxTokensPerDoc }, candidates, onExcluded),
  tooLarge: (maxMebibytes) =>
    invalidRequest('documents', `are more than ${maxMebibytes} MiB for this model; send fewer or shorter documents`),
  tooMany: (asks, maxAsks) =>
    invalidRequest('documents', `take ${asks} requests to this model, of which one may take ${maxAsks}; send fewer`),
  maxAtOnce: 1,
  // The client gets its original texts, without replacements by protection.
  resultOf: (ranked, own) => ranked.map(({ index, score }) => ({ index, score, text: own.documents[index]! })),
  outOfTime: 'The documents took longer than the gateway may run. Send fewer at once.',
});
