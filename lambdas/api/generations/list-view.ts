import type { Generation } from '../../store/generations/generation.ts';
import type { Payer } from '../../store/accounts/payer.ts';
import type { Refusal } from '../../store/generations/refusals.ts';
import { statusOf, type PastRequest } from '../../store/generations/request-history.ts';
import type { ListedRequestBody } from './shape.ts';

/** Converts a request to an entry of the list. Unknown values are null. */
export function listedRequest(request: PastRequest): ListedRequestBody {
  return 'refusal' in request ? listedRefusal(request.refusal) : listedGeneration(request.generation);
}

function listedGeneration(generation: Generation): ListedRequestBody {
  const { id, createdAtMs, payer, apiType, state } = generation;
  const outcome = state === 'final' ? generation.outcome! : undefined;
  const { model, modelPermaslug, endpointId, providerName } = generation.outcome ?? generation;
  return {
    id,
    created_at: new Date(createdAtMs).toISOString(),
    status: statusOf(generation),
    refusal: null,
    api_type: apiType,
    model,
    model_permaslug: modelPermaslug,
    endpoint_id: endpointId,
    provider_name: providerName,
    total_cost: outcome?.cost ?? null,
    tokens_prompt: outcome?.promptTokens ?? null,
    tokens_completion: outcome?.completionTokens ?? null,
    finish_reason: outcome?.finishReason ?? null,
    latency: outcome?.latencyMs ?? null,
    generation_time: outcome?.generationTimeMs ?? null,
    tags: generation.tags ?? {},
    ...payerFields(payer),
  };
}

/** Returns the reason of a refusal, with the amounts of the limit at that time. */
export function reasonView({
  status,
  kind,
  field,
  limit,
  amounts,
}: Refusal): NonNullable<ListedRequestBody['refusal']> {
  return {
    status,
    error_type: kind,
    field: field ?? null,
    limit_source: limit ?? null,
    amounts: amounts
      ? {
          interval: amounts.interval,
          limit_rub: amounts.limit.toString(),
          spend_rub: amounts.spent.toString(),
          held_rub: amounts.held.toString(),
          remaining_rub: amounts.left.toString(),
          required_rub: amounts.required.toString(),
        }
      : null,
  };
}

function listedRefusal(refusal: Refusal): ListedRequestBody {
  const { id, createdAtMs, payer, model } = refusal;
  return {
    id,
    created_at: new Date(createdAtMs).toISOString(),
    status: 'refused',
    refusal: reasonView(refusal),
    api_type: null,
    model: model ?? null,
    model_permaslug: null,
    endpoint_id: null,
    provider_name: null,
    total_cost: null,
    tokens_prompt: null,
    tokens_completion: null,
    finish_reason: null,
    latency: null,
    generation_time: null,
    tags: {},
    ...payerFields(payer),
  };
}

function payerFields({ keyHash, workspaceId, memberId }: Payer) {
  return { api_key_hash: keyHash, workspace_id: workspaceId, user_id: memberId ?? null };
}
