import type { WireUsage } from '../../messages/types.ts';
import { isCount } from '../../messages/usage-counts.ts';

/**
 * Usage as chat-completions upstreams report it, each with fields of its own. The wire counts cached tokens inside the
 * prompt, and reasoning inside the completion; the Messages API counts caches separately. xAI and Gemini leave
 * reasoning out of the completion; only their total shows it.
 *
 * What is not a whole number counts as not reported. What is not reported is left out, and the gateway counts it. An
 * empty usage is not a free answer.
 */
export function messagesUsage(usage: Record<string, unknown>): WireUsage {
  const prompt = count(usage['prompt_tokens']);
  const completion = count(usage['completion_tokens']);
  const total = count(usage['total_tokens']);
  const promptDetails = record(usage['prompt_tokens_details']);
  // DeepSeek and Moonshot have fields of their own.
  const reported =
    count(promptDetails['cached_tokens']) ?? count(usage['prompt_cache_hit_tokens']) ?? count(usage['cached_tokens']);
  // A hosted model was seen to report more cached tokens than prompt tokens.
  const cached = reported === undefined ? undefined : Math.min(reported, prompt ?? 0);
  // GigaChat leaves out of the prompt what it had cached.
  const apart = count(usage['precached_prompt_tokens']);
  const written = count(promptDetails['cache_write_tokens']);
  // Perplexity reports it at the top level.
  const reasoning =
    count(record(usage['completion_tokens_details'])['reasoning_tokens']) ?? count(usage['reasoning_tokens']);
  const output = outputOf(completion, prompt, total);
  return {
    ...(prompt === undefined ? {} : { input_tokens: Math.max(0, prompt - (cached ?? 0) - (written ?? 0)) }),
    ...(output === undefined ? {} : { output_tokens: output }),
    ...(cached === undefined && apart === undefined ? {} : { cache_read_input_tokens: cached ?? apart! }),
    ...(written === undefined ? {} : { cache_creation_input_tokens: written }),
    ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}

function outputOf(completion: number | undefined, prompt: number | undefined, total: number | undefined) {
  if (total === undefined || prompt === undefined) return completion;
  return Math.max(completion ?? 0, total - prompt);
}

function count(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
