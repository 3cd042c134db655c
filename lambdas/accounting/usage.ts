/**
 * Tokens of one generation in disjoint buckets, as the Messages API counts them: `inputTokens` excludes what was read
 * from or written to a cache. `reasoningTokens` is a part of `outputTokens`. Undefined means that the provider did not
 * report it; it is not zero.
 */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number | undefined;
  cacheWrite5mTokens?: number | undefined;
  cacheWrite1hTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  searchRequests?: number | undefined;
  /** Images of the prompt, where the endpoint charges them by the piece. */
  pricedImages?: number | undefined;
  /** Of video that was made. */
  videoSeconds?: number | undefined;
}

/** Everything the model read, cached or not. */
export function promptTokens(usage: TokenUsage): number {
  return (
    usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWrite5mTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0)
  );
}

/** The usage of two requests to providers that belong to one generation. What neither reported stays unreported. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: sum(a.cacheReadTokens, b.cacheReadTokens),
    cacheWrite5mTokens: sum(a.cacheWrite5mTokens, b.cacheWrite5mTokens),
    cacheWrite1hTokens: sum(a.cacheWrite1hTokens, b.cacheWrite1hTokens),
    reasoningTokens: sum(a.reasoningTokens, b.reasoningTokens),
    searchRequests: sum(a.searchRequests, b.searchRequests),
    pricedImages: sum(a.pricedImages, b.pricedImages),
    videoSeconds: sum(a.videoSeconds, b.videoSeconds),
  };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a + b;
}

/**
 * Estimates the tokens of a text that no provider counted. Four UTF-8 bytes a token is the usual rate for English,
 * and, at two bytes a letter, half a word for Russian. The result is marked as an estimate wherever it is used.
 */
export function estimateTokens(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / 4);
}
