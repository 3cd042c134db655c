import { promptTokens } from '../../accounting/usage.ts';
import { claimOf } from '../../admission/request-claim.ts';
import type { DecisionsRequest } from '../../decisions/schema.ts';
import type { EndpointInput } from '../../http/endpoint.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import { answerModality } from '../../inference/modalities/answer.ts';
import { decisionsModality } from '../../inference/modalities/decisions.ts';
import { resources } from '../../resources.ts';
import type { DecisionsAnswer } from './shape.ts';

/** Answers all questions of a request, or none. */
export async function createDecision(input: EndpointInput<'inference', DecisionsRequest>): Promise<HttpResponse> {
  const { request, caller } = input;
  const claim = await claimOf(resources.table(), { route: 'create-decision', ...request, payer: caller.payer });
  const { candidate, result, charged } = await answerModality(decisionsModality, { ...input, claim });
  // What a provider does not report is counted, and settled a little later.
  const isPending = charged.estimated;
  const answer: DecisionsAnswer = {
    id: input.generationId,
    model: candidate.model.id,
    provider: candidate.endpoint.provider.name,
    answers: Object.fromEntries(Object.keys(input.body.questions).map((name, at) => [name, result[at]!])),
    usage: {
      input_tokens: promptTokens(charged.usage),
      output_tokens: charged.usage.outputTokens,
      ...(isPending ? {} : { cost: charged.cost }),
    },
  };
  return jsonResponse<DecisionsAnswer>(200, answer, isPending ? { 'x-service-billing-status': 'pending' } : {});
}
