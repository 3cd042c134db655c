import type { RoundUsage } from '../store/generations/outcome.ts';
import { promptTokens, type TokenUsage } from './usage.ts';

/** Tokens as records keep them: unknown is null, and the prompt includes what was cached. */
export function recordedUsage(usage: TokenUsage): RoundUsage {
  return {
    promptTokens: promptTokens(usage),
    completionTokens: usage.outputTokens,
    reasoningTokens: usage.reasoningTokens ?? null,
    cachedTokens: usage.cacheReadTokens ?? null,
    cacheWrite5mTokens: usage.cacheWrite5mTokens ?? null,
    cacheWrite1hTokens: usage.cacheWrite1hTokens ?? null,
    pricedImages: usage.pricedImages ?? null,
  };
}
