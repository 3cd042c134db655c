import type { WireUsage } from '../../messages/types.ts';
import { detailsIn, firstCount, usageOf } from '../translated/usage.ts';

/**
 * Converts usage of chat-completions providers, some of which have their own fields. xAI and Gemini exclude reasoning
 * from the completion tokens; only their total includes it. GigaChat excludes cached tokens from the prompt tokens.
 */
export function usageOfChat(usage: Record<string, unknown>): WireUsage {
  const promptDetails = detailsIn(usage, 'prompt_tokens_details');
  const counts = usageOf({
    // Some servers relay the Messages or the Responses API, and keep the names of those APIs.
    prompt: firstCount(usage['prompt_tokens'], usage['input_tokens']),
    output: firstCount(usage['completion_tokens'], usage['output_tokens']),
    total: usage['total_tokens'],
    // DeepSeek and Moonshot have their own fields for cached tokens.
    cached: firstCount(promptDetails['cached_tokens'], usage['prompt_cache_hit_tokens'], usage['cached_tokens']),
    // Alibaba and relays of Claude have their own field for tokens written to a cache.
    cacheWritten: firstCount(promptDetails['cache_write_tokens'], promptDetails['cache_creation_input_tokens']),
    // Perplexity reports reasoning tokens at the top level.
    reasoning: firstCount(detailsIn(usage, 'completion_tokens_details')['reasoning_tokens'], usage['reasoning_tokens']),
  });
  const apart = firstCount(usage['precached_prompt_tokens']);
  return apart === undefined ? counts : { cache_read_input_tokens: apart, ...counts };
}
