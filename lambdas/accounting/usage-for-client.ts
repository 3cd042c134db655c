/** The usage of an answer as clients read it. */

import type { WireUsage } from '../messages/types.ts';
import type { TokenUsage } from './usage.ts';

/** The usage at the beginning of an answer. Clients read the prompt's tokens here, some only here: what the provider has not counted, or counts as none, is estimated. */
export function openingUsage(reported: WireUsage, estimatedInputTokens: number): WireUsage {
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = reported;
  const isCounted = (input ?? 0) + (read ?? 0) + (written ?? 0) > 0;
  return {
    ...reported,
    input_tokens: isCounted ? (input ?? 0) : estimatedInputTokens,
    output_tokens: reported.output_tokens ?? 0,
    // Clients add up all tokens of the prompt.
    cache_read_input_tokens: read ?? 0,
    cache_creation_input_tokens: written ?? 0,
  };
}

/**
 * The usage at the end of an answer: the tokens are those that are charged, of all rounds, whatever the last one has reported.
 * @param tellsLifetimes the provider has said before how long caches are kept
 */
export function usageForClient(reported: WireUsage, charged: TokenUsage, tellsLifetimes: boolean): WireUsage {
  const { cache_creation, output_tokens_details: _, server_tool_use, ...told } = reported;
  const others = server_tool_use && isNothing(server_tool_use) ? { server_tool_use } : {};
  return { ...told, ...others, ...tokensOf(charged, tellsLifetimes || cache_creation != null) };
}

/** Counts of tools that a provider runs: there are none, so any other number is not passed on. */
function isNothing(counts: object): boolean {
  return Object.values(counts).every((count) => count === 0);
}

/** Caches of which nothing is known are charged as none. */
function tokensOf(usage: TokenUsage, tellsLifetimes: boolean): WireUsage {
  const { cacheReadTokens: read = 0, cacheWrite5mTokens: short = 0, cacheWrite1hTokens: long = 0 } = usage;
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: short + long,
    ...(tellsLifetimes
      ? { cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } }
      : {}),
    ...(usage.reasoningTokens === undefined
      ? {}
      : { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
  };
}
