import { promptTokens } from '../../accounting/usage.ts';
import { chargedAnswerOnce } from '../../http/answer-once.ts';
import { jsonResponse } from '../../http/response.ts';
import { decisionsModality } from '../../inference/modalities/decisions.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import type { DecisionsAnswer } from './shape.ts';

export const { accepts, handler } = modalityEndpoint(
  'create-decision',
  decisionsModality,
  ({ body, origin, result, charged: { usage }, cost }) => {
    const { cacheReadTokens: cached, outputTokens } = usage;
    return jsonResponse<DecisionsAnswer>(200, {
      ...origin,
      answers: Object.fromEntries(Object.keys(body.questions).map((name, at) => [name, result[at]!])),
      usage: {
        input_tokens: promptTokens(usage),
        // Cached tokens have another price, so the answer shows them.
        ...(cached ? { input_tokens_details: { cached_tokens: cached } } : {}),
        output_tokens: outputTokens,
        ...cost,
      },
    });
  },
  { once: chargedAnswerOnce },
);
