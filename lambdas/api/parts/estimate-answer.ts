import { freeLimitSources } from '../../admission/free/free-refusal.ts';
import type { FreeRoom } from '../../admission/free/free-tier.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import type { Estimate } from '../../inference/estimates/estimate.ts';
import type { EstimateAnswer, FreeLimitBody } from './shape.ts';

/** The estimate of a request, as clients of all APIs read it. */
export function estimateAnswer(estimate: Estimate): HttpResponse {
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
      limits: limits.map(({ source, interval, limit, remaining, admits }) => ({
        source,
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
