import { promptTokens } from '../../accounting/usage.ts';
import { listResponse } from '../../http/list-response.ts';
import type { RerankRequest } from '../../inference/modalities/rerank-schema.ts';
import { rerankModality } from '../../inference/modalities/rerank.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import type { RerankAnswer } from './shape.ts';

export const { accepts, handler } = modalityEndpoint(
  'create-rerank',
  rerankModality,
  ({ body, origin: { id, model, provider }, result, charged, cost }) => {
    const { searchUnits, ...tokens } = charged.usage;
    const isVoyage = isOfVoyage(body);
    const total = promptTokens(tokens);
    const usage = { search_units: searchUnits, total_tokens: isVoyage || total > 0 ? total : undefined, ...cost };
    const answer: Omit<RerankAnswer, 'results'> = {
      id,
      model,
      provider,
      usage,
      ...(isVoyage ? { data: [...rankedResults(result, false)] } : {}),
    };
    return listResponse(answer, { name: 'results', elements: rankedResults(result, body.return_documents ?? true) });
  },
);

/** Whether a request has fields of Voyage's API. Its clients read `data` and `usage.total_tokens`. */
function isOfVoyage(body: RerankRequest): boolean {
  return body.top_k !== undefined || 'truncation' in body;
}

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
