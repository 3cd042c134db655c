import { promptTokens } from '../../accounting/usage.ts';
import type { DecisionsRequest } from '../../decisions/schema.ts';
import type { EndpointInput } from '../../http/endpoint.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import { answerDecision } from '../../inference/decisions/answer-decision.ts';
import type { DecisionsAnswer } from './shape.ts';

/** Answers all questions of a request, or none. */
export async function createDecision(input: EndpointInput<'inference', DecisionsRequest>): Promise<HttpResponse> {
  const { candidate, answers, charged } = await answerDecision(input);
  // What a provider does not report is counted, and settled a little later.
  const isPending = charged.estimated;
  const answer: DecisionsAnswer = {
    id: input.generationId,
    model: candidate.model.id,
    provider: candidate.endpoint.provider.name,
    answers,
    usage: {
      input_tokens: promptTokens(charged.usage),
      output_tokens: charged.usage.outputTokens,
      ...(isPending ? {} : { cost: charged.cost }),
    },
  };
  return jsonResponse<DecisionsAnswer>(200, answer, isPending ? { 'x-service-billing-status': 'pending' } : {});
}
