import { promptTokens } from '../../accounting/usage.ts';
import { listResponse } from '../../http/list-response.ts';
import { rerankModality } from '../../inference/modalities/rerank.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import type { RerankAnswer } from './shape.ts';

export const { accepts, handler } = modalityEndpoint(
  'create-rerank',
  rerankModality,
  ({ body: { return_documents }, origin: { id, model, provider }, result, charged, cost }) => {
    const { searchUnits, ...tokens } = charged.usage;
    const usage = { search_units: searchUnits, total_tokens: promptTokens(tokens) || undefined, ...cost };
    const answer: Omit<RerankAnswer, 'results'> = { id, model, provider, usage };
    return listResponse(answer, { name: 'results', elements: rankedResults(result, return_documents ?? true) });
  },
);

interface RankedText {
  index: number;
  score: number;
  text: string;
}

function* rankedResults(
  ranked: readonly RankedText[],
  withDocuments: boolean,
): Generator<RerankAnswer['results'][number], void> {
  for (const { index, score, text } of ranked) {
    yield { index, relevance_score: score, ...(withDocuments ? { document: { text } } : {}) };
  }
}
