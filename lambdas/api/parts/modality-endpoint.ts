import { finalCost } from '../../accounting/charge.ts';
import { claimOf } from '../../admission/request-claim.ts';
import { withClientFieldName } from '../../client-apis/field-names.ts';
import type { AnswerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { EndpointInput, InferenceRoute } from '../../http/endpoint.ts';
import type { ReadForm } from '../../http/form-body.ts';
import type { ErrorMembers, HttpResponse } from '../../http/response.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { answerModality, forwardModality, type Answered } from '../../inference/modalities/answer.ts';
import type { BatchModality } from '../../inference/modalities/modality.ts';
import type { Money } from '../../money/money.ts';
import { resources } from '../../resources.ts';
import { forwardedResponse } from './forwarded-response.ts';
import { leftOutHeader } from './left-out-header.ts';

/** `cost` is an empty object if the usage is estimated. */
export interface WholeAnswer<Body, Result> extends Answered<Result> {
  body: Body;
  origin: { id: string; model: string; provider: string };
  cost: { cost?: Money };
}

interface RouteExtras {
  /** Reads a form; absent if the route accepts only JSON. */
  form?: ReadForm;
  errorMembers?: ErrorMembers;
  /** Absent if a repeated request with the same `Idempotency-Key` gets no answer. */
  once?: AnswerOnce;
}

/** Creates the handler of a modality's route. */
export function modalityEndpoint<Body, Task, Answer, Result>(
  route: InferenceRoute,
  modality: BatchModality<Body, Task, Answer, Result>,
  view: (answer: WholeAnswer<Body, Result>) => HttpResponse,
  more: RouteExtras = {},
) {
  const accepts = { ...modality.accepts, ...more, meanwhile: refreshSignals };
  const answer = async (input: EndpointInput<'inference', Body>): Promise<HttpResponse> => {
    const { request, caller, body, entryPoint, generationId: id } = input;
    const claim = await claimOf(resources.table(), { route, ...request, payer: caller.payer });
    const form = modality.forwardedAs?.(body, request.id);
    if (form) return forwardedResponse(await forwardModality(modality, { ...input, claim }, form), form, entryPoint);
    const answered = await answerModality(modality, { ...input, claim });
    const { candidate, charged } = answered;
    const origin = { id, model: candidate.model.id, provider: candidate.endpoint.provider.name };
    const response = view({ ...answered, body, origin, cost: finalCost(charged) });
    Object.assign(response.headers, leftOutHeader(answered.leftOut), { 'x-generation-id': id });
    if (charged.estimated) response.headers['x-service-billing-status'] = 'pending';
    return response;
  };
  const clientNames = { fields: modality.clientNames ?? {}, conversation: '', origins: [] };
  const handler = defineEndpoint(route, accepts, async ({ body, query, params, once, ...input }) => {
    const answered = () =>
      answer({ ...input, query, params, body: Object.assign(body as object, query, params) as Body });
    try {
      return await (once ? once(answered) : answered());
    } catch (error) {
      throw withClientFieldName(error, clientNames);
    }
  });
  return { accepts, handler };
}

/** Creates the handler of a route whose answers are always forwarded part by part. */
export function forwardingEndpoint<Body, Task, Answer>(
  route: InferenceRoute,
  modality: BatchModality<Body, Task, Answer, never>,
  more?: RouteExtras,
) {
  return modalityEndpoint(route, modality, ({ result }) => result, more);
}
