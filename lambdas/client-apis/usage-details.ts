/** Parts of a prompt and of an answer that have their own prices. OpenAI's two APIs have the same parts. */

import type { WireUsage } from '../messages/types.ts';

/** Returns the parts of the prompt. Lifetimes of caches have the names of LiteLLM, because OpenAI has no names. */
export function promptDetails(usage: WireUsage): object {
  const { cache_creation: lifetimes, audio_input_tokens: recorded } = usage;
  return {
    cached_tokens: usage.cache_read_input_tokens ?? 0,
    cache_write_tokens: usage.cache_creation_input_tokens ?? 0,
    ...(lifetimes?.ephemeral_1h_input_tokens ? { cache_creation_token_details: lifetimes } : {}),
    ...(recorded ? { audio_tokens: recorded } : {}),
  };
}

/** Returns the parts of the answer. */
export function answerDetails({ output_tokens_details: details }: WireUsage): object {
  return {
    reasoning_tokens: details?.thinking_tokens ?? 0,
    ...(details?.image_tokens ? { image_tokens: details.image_tokens } : {}),
    ...(details?.audio_tokens ? { audio_tokens: details.audio_tokens } : {}),
  };
}

/** Returns all tokens of the prompt, cached or not. */
export function promptTokensOf(usage: WireUsage): number {
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return (input ?? 0) + (read ?? 0) + (written ?? 0);
}

/** Returns the cost, and the number of searches that it includes. */
export function costFields({ server_tool_use: searches, ...usage }: WireUsage): object {
  return {
    ...(usage['cost'] === undefined ? {} : { cost: usage['cost'] }),
    ...(searches ? { server_tool_use: searches } : {}),
  };
}
