import { Money } from '../../money/money.ts';
import type { Generation } from '../../store/generations/generation.ts';
import type { Outcome } from '../../store/generations/outcome.ts';
import type { GenerationBody } from './shape.ts';

/**
 * Converts a generation to the API's format. Durations are in milliseconds, and money is in exact numbers of roubles.
 */
export function generationView(generation: Generation): GenerationBody {
  const outcome = generation.outcome!;
  return {
    id: generation.id,
    total_cost: outcome.cost,
    usage: outcome.cost,
    currency: 'RUB',
    cache_discount: outcome.cacheSaved,
    created_at: new Date(generation.createdAtMs).toISOString(),
    model: outcome.model,
    model_permaslug: outcome.modelPermaslug,
    endpoint_id: outcome.endpointId,
    streamed: generation.streamed,
    left_out: [...outcome.leftOut],
    cancelled: outcome.cancelled,
    estimated: outcome.estimated,
    capped: outcome.capped,
    ending: outcome.ending,
    provider_name: outcome.providerName,
    latency: outcome.latencyMs,
    overhead_ms: outcome.overheadMs,
    provider_ms: outcome.providerMs,
    generation_time: outcome.generationTimeMs,
    tokens_prompt: outcome.promptTokens,
    tokens_completion: outcome.completionTokens,
    native_tokens_prompt: outcome.promptTokens,
    native_tokens_completion: outcome.completionTokens,
    native_tokens_reasoning: outcome.reasoningTokens,
    native_tokens_cached: outcome.cachedTokens,
    native_tokens_cache_write: outcome.cacheWrite5mTokens,
    native_tokens_cache_write_1h: outcome.cacheWrite1hTokens,
    native_tokens_completion_images: outcome.imageOutputTokens ?? null,
    num_search_results: outcome.searchResults ?? 0,
    num_fetches: null,
    num_media_prompt: null,
    num_media_completion: outcome.completionMedia ?? outcome.outputImages ?? null,
    num_input_audio_prompt: null,
    api_type: generation.apiType,
    workspace_id: generation.payer.workspaceId,
    finish_reason: outcome.finishReason,
    native_finish_reason: outcome.nativeFinishReason ?? outcome.finishReason,
    is_byok: false,
    upstream_inference_cost: null,
    upstream_id: null,
    origin: '',
    data_region: 'global',
    app_id: null,
    external_user: generation.tags?.['user'] ?? null,
    http_referer: null,
    user_agent: null,
    moderation_latency: null,
    preset_id: null,
    provider_responses: providerResponses(outcome),
    router: null,
    service_tier: null,
    web_search_engine: null,
    tags: generation.tags ?? {},
  };
}

/** Returns all attempts in their order. The attempts before the last one failed, and cost nothing. */
function providerResponses(outcome: Outcome): GenerationBody['provider_responses'] {
  const { endpointId, modelPermaslug, providerName, providerStatus: status, latencyMs, failures } = outcome;
  const last = { endpointId, modelPermaslug, providerName, status, durationMs: latencyMs };
  return [...outcome.failedAttempts, last].map((attempt, index) => ({
    endpoint_id: attempt.endpointId,
    model_permaslug: attempt.modelPermaslug,
    provider_name: attempt.providerName,
    status: attempt.status,
    failure: failures[index] ?? null,
    ...(attempt.durationMs === null ? {} : { latency: attempt.durationMs }),
    is_byok: false,
    total_cost: attempt === last ? outcome.cost : Money.zero,
  }));
}
