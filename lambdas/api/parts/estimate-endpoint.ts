import { freeLimitSources } from '../../admission/free/free-refusal.ts';
import type { FreeRoom } from '../../admission/free/free-tier.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import type { EstimateAnswer, FreeLimitBody } from './shape.ts';
import type * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { InferenceRoute } from '../../http/endpoint.ts';
import type { ReadForm } from '../../http/form-body.ts';
import type { JsonRules } from '../../http/json-body.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import type { Estimate, EstimateInput } from '../../inference/estimates/estimate.ts';
import { estimateModality } from '../../inference/modalities/estimate.ts';
import type { BatchModality } from '../../inference/modalities/modality.ts';

/** Creates the handler of a route that estimates requests. */
export function estimateEndpoint<Body>(
  route: InferenceRoute,
  rules: JsonRules & { body: z.ZodType<Body>; form?: ReadForm },
  estimate: (input: EstimateInput<Body>) => Promise<Estimate>,
) {
  const accepts = { ...rules, meanwhile: refreshSignals };
  return { accepts, handler: defineEndpoint(route, accepts, async (input) => estimateAnswer(await estimate(input))) };
}

/** Creates the handler of a route that estimates requests of a modality. */
export function modalityEstimate<Body, Task, Answer, Result>(
  route: InferenceRoute,
  modality: BatchModality<Body, Task, Answer, Result>,
  more: { form?: ReadForm } = {},
) {
  return estimateEndpoint(route, { ...modality.accepts, ...more }, (input) => estimateModality(modality, input));
}

/** Builds the response, which is the same for clients of all APIs. */
function estimateAnswer(estimate: Estimate): HttpResponse {
  const { inputTokens, held, isAdmitted, allowedMaxTokens, affordableMaxTokens } = estimate;
  const { candidates, excluded, limits, freeLimits } = estimate;
  return jsonResponse<EstimateAnswer>(200, {
    data: {
      input_tokens: inputTokens,
      hold_rub: held.toString(),
      admits: isAdmitted,
      allowed_max_tokens: allowedMaxTokens ?? null,
      affordable_max_tokens: affordableMaxTokens ?? null,
      candidates: candidates.map(({ model, endpoint, least, input, most }) => ({
        model: model.id,
        endpoint_id: endpoint.id,
        provider_name: endpoint.provider.name,
        min_cost_rub: least.toString(),
        input_cost_rub: input.toString(),
        max_cost_rub: most.toString(),
      })),
      excluded: excluded.map(({ model, endpoint, reason, message }) => ({
        model: model.id,
        endpoint_id: endpoint.id,
        provider_name: endpoint.provider.name,
        reason,
        ...(message === undefined ? {} : { message }),
      })),
      limits: limits.map(({ source, tag, interval, limit, remaining, admits }) => ({
        source,
        ...(tag === undefined ? {} : { tag }),
        interval,
        limit_rub: limit.toString(),
        remaining_rub: remaining.toString(),
        admits,
      })),
      free_limits: freeLimits.map(freeLimitBody),
    },
  });
}

function freeLimitBody(room: FreeRoom): FreeLimitBody {
  const shared = { model: room.model, resets_at: new Date(room.endsAtMs).toISOString(), admits: room.admits };
  return room.counted === 'budget'
    ? { ...shared, source: freeLimitSources[room.counted] }
    : { ...shared, source: freeLimitSources[room.counted], limit_requests: room.most, remaining_requests: room.left };
}
