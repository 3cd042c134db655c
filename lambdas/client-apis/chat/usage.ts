import type { WireUsage } from '../../messages/types.ts';

/**
 * Returns the usage of an answer. The prompt tokens include cached tokens, and the completion tokens include thinking.
 */
export function completionUsage(usage: WireUsage): Record<string, unknown> {
  const cached = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const prompt = (usage.input_tokens ?? 0) + cached + written;
  const completion = usage.output_tokens ?? 0;
  const { output_tokens_details: details, audio_input_tokens: recorded } = usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cached,
      cache_write_tokens: written,
      ...(recorded ? { audio_tokens: recorded } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: details?.thinking_tokens ?? 0,
      ...(details?.image_tokens ? { image_tokens: details.image_tokens } : {}),
      ...(details?.audio_tokens ? { audio_tokens: details.audio_tokens } : {}),
    },
    ...(usage['cost'] === undefined ? {} : { cost: usage['cost'] }),
    ...(usage.server_tool_use ? { server_tool_use: usage.server_tool_use } : {}),
  };
}
