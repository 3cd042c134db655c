import type { WireUsage } from '../../messages/types.ts';

/** Usage as chat-completions upstreams report it; each has fields of its own. */
export interface ChatUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  total_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
  completion_tokens_details?: { reasoning_tokens?: number | null } | null;
  /** DeepSeek. */
  prompt_cache_hit_tokens?: number | null;
  /** Moonshot. */
  cached_tokens?: number | null;
  /** Perplexity. */
  reasoning_tokens?: number | null;
}

/**
 * The wire counts cached tokens inside the prompt, and reasoning inside the completion; the Messages API counts caches
 * apart. xAI and Gemini keep reasoning out of the completion, which only their total gives away.
 */
export function messagesUsage(usage: ChatUsage): WireUsage {
  const prompt = usage.prompt_tokens ?? 0;
  const completion = usage.completion_tokens ?? 0;
  const told = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens;
  // A hosted model was seen to report more cached tokens than prompt tokens.
  const cached = typeof told === 'number' ? Math.min(told, prompt) : undefined;
  const written = usage.prompt_tokens_details?.cache_write_tokens ?? undefined;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? usage.reasoning_tokens ?? undefined;
  return {
    // What is not told is left out, and counted by the gateway: an empty usage is not a free answer.
    ...(usage.prompt_tokens == null ? {} : { input_tokens: Math.max(0, prompt - (cached ?? 0) - (written ?? 0)) }),
    ...(usage.completion_tokens == null && usage.total_tokens == null
      ? {}
      : { output_tokens: Math.max(completion, (usage.total_tokens ?? 0) - prompt) }),
    ...(cached === undefined ? {} : { cache_read_input_tokens: cached }),
    ...(written === undefined ? {} : { cache_creation_input_tokens: written }),
    ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}
