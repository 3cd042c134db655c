import type { WireUsage } from '../messages/types.ts';
import { withoutUndefined } from '../platform/json/records.ts';
import type { TokenUsage } from './usage.ts';

/**
 * Returns the usage at the beginning of an answer. Some clients read the prompt's token count only there, so a missing
 * count or zero is estimated.
 */
export function openingUsage(reported: WireUsage, estimatedInputTokens: number): WireUsage {
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = reported;
  const isCounted = (input ?? 0) + (read ?? 0) + (written ?? 0) > 0;
  return {
    ...reported,
    input_tokens: isCounted ? (input ?? 0) : estimatedInputTokens,
    output_tokens: reported.output_tokens ?? 0,
    // A missing count becomes 0, because clients add up the three counts of the prompt.
    cache_read_input_tokens: read ?? 0,
    cache_creation_input_tokens: written ?? 0,
  };
}

/**
 * Returns the usage at the end of an answer: the charged tokens of all rounds, whatever the last round has reported.
 * @param areLifetimesReported whether an earlier report of the provider contained the lifetime of its cache writes
 */
export function usageForClient(reported: WireUsage, charged: TokenUsage, areLifetimesReported: boolean): WireUsage {
  const { cache_creation, output_tokens_details: _, server_tool_use, ...rest } = reported;
  const others = server_tool_use && isNothing(server_tool_use) ? { server_tool_use } : {};
  return { ...rest, ...others, ...tokensOf(charged, areLifetimesReported || cache_creation != null) };
}

/**
 * Returns whether all counts are zero. The gateway enables none of the provider's own tools, so counts above zero are
 * not forwarded.
 */
function isNothing(counts: object): boolean {
  return Object.values(counts).every((count) => count === 0);
}

function tokensOf(usage: TokenUsage, areLifetimesReported: boolean): WireUsage {
  const { cacheReadTokens: read = 0, cacheWrite5mTokens: short = 0, cacheWrite1hTokens: long = 0 } = usage;
  return {
    // `input_tokens` includes tokens of audio, because the Messages API has no count for them.
    input_tokens: usage.inputTokens + (usage.audioInputTokens ?? 0),
    ...(usage.audioInputTokens ? { audio_input_tokens: usage.audioInputTokens } : {}),
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: short + long,
    ...(areLifetimesReported
      ? { cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } }
      : {}),
    ...shownDetails(usage),
  };
}

function shownDetails(usage: TokenUsage): Pick<WireUsage, 'output_tokens_details'> {
  const details = withoutUndefined({
    thinking_tokens: usage.reasoningTokens,
    image_tokens: usage.imageOutputTokens,
    audio_tokens: usage.audioOutputTokens,
  });
  return Object.keys(details).length > 0 ? { output_tokens_details: details } : {};
}
