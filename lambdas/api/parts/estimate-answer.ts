import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import type { Estimate } from '../../inference/estimates/estimate.ts';
import type { EstimateAnswer } from './shape.ts';

/** The estimate of a request, as clients of all APIs read it. */
export function estimateAnswer(estimate: Estimate): HttpResponse {
  const { inputTokens, held, isAdmitted, allowedMaxTokens, candidates, excluded, limits } = estimate;
  return jsonResponse<EstimateAnswer>(200, {
    data: {
      input_tokens: inputTokens,
      hold_rub: held.toString(),
      admits: isAdmitted,
      allowed_max_tokens: allowedMaxTokens ?? null,
      candidates: candidates.map(({ model, endpoint, least, most }) => ({
        model: model.id,
        endpoint_id: endpoint.id,
        provider_name: endpoint.provider.name,
        min_cost_rub: least.toString(),
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
    },
  });
}
