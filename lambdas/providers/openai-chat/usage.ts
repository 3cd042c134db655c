import type { WireUsage } from '../../messages/types.ts';
import { detailsIn, firstCount, usageOf } from '../translated/usage.ts';

/**
 * Usage as chat-completions upstreams report it, each with fields of its own. xAI and Gemini leave reasoning out of the
 * completion; only their total shows it. GigaChat leaves out of the prompt what it had cached.
 */
export function usageOfChat(usage: Record<string, unknown>): WireUsage {
  const promptDetails = detailsIn(usage, 'prompt_tokens_details');
  const counts = usageOf({
    // Servers that relay the Messages or the Responses API have their names.
    prompt: firstCount(usage['prompt_tokens'], usage['input_tokens']),
    output: firstCount(usage['completion_tokens'], usage['output_tokens']),
    total: usage['total_tokens'],
    // DeepSeek and Moonshot have fields of their own.
    cached: firstCount(promptDetails['cached_tokens'], usage['prompt_cache_hit_tokens'], usage['cached_tokens']),
    // Alibaba, and relays of Claude, have a field of their own.
    cacheWritten: firstCount(promptDetails['cache_write_tokens'], promptDetails['cache_creation_input_tokens']),
    // Perplexity reports it at the top level.
    reasoning: firstCount(detailsIn(usage, 'completion_tokens_details')['reasoning_tokens'], usage['reasoning_tokens']),
  });
  const apart = firstCount(usage['precached_prompt_tokens']);
  return apart === undefined ? counts : { cache_read_input_tokens: apart, ...counts };
}
