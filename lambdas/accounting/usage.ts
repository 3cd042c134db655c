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
}

/** Everything the model read, cached or not. */
export function promptTokens(usage: TokenUsage): number {
  return (
    usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWrite5mTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0)
  );
}

/**
 * Estimates the tokens of a text that no provider counted. Four UTF-8 bytes a token is the usual rate for English,
 * and, at two bytes a letter, half a word for Russian. The result is marked as an estimate wherever it is used.
 */
export function estimateTokens(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / 4);
}
