import { completionParts, countedUnits, pieces, promptUnits, type UsageField } from '../catalog/unit-lists.ts';

type Counts = { [Field in UsageField]?: number | undefined };

/**
 * Usage of one generation. As in the Messages API, `inputTokens` excludes audio, separately counted images, and tokens
 * read from or written to a cache. Parts of the answer, such as `reasoningTokens`, are included in `outputTokens`.
 * undefined means that the provider did not report the count, which differs from zero.
 */
export interface TokenUsage extends PromptUsage {
  outputTokens: number;
}

export interface PromptUsage extends Counts {
  inputTokens: number;
}

/** Returns the number of all prompt tokens, cached or not. */
export function promptTokens(usage: PromptUsage): number {
  let tokens = 0;
  for (const { usage: field } of promptUnits) tokens += usage[field] ?? 0;
  return tokens;
}

const alone = pieces.filter((unit) => unit.alone);

/** Returns whether a request to a provider has any usage. A request without usage has no fee either. */
export function isUsed(usage: TokenUsage): boolean {
  return promptTokens(usage) + usage.outputTokens > 0 || hasUnitAlone(usage);
}

/** Returns whether a unit that needs no token is used. */
export function hasUnitAlone(counts: Counts): boolean {
  return alone.some(({ usage: field }) => (counts[field] ?? 0) > 0);
}

/** Adds the usage of two provider requests of one generation. A count that neither of them reported stays undefined. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  for (const { usage: field } of countedUnits) {
    const [one, other] = [a[field], b[field]];
    if (one !== undefined || other !== undefined) sum[field] = (one ?? 0) + (other ?? 0);
  }
  return sum;
}

/**
 * Reduces the counts of parts of the answer in place, so that their sum does not exceed the output tokens. A larger sum
 * would give the remaining output a negative price.
 */
export function fitParts(usage: TokenUsage): void {
  let left = usage.outputTokens;
  for (const { usage: field } of completionParts) {
    const tokens = usage[field];
    if (tokens === undefined) continue;
    usage[field] = Math.min(tokens, left);
    left -= usage[field];
  }
}

export const noParts: Partial<TokenUsage> = Object.fromEntries(
  completionParts.map(({ usage: field }) => [field, undefined]),
);

const ESTIMATED_BYTES_PER_TOKEN = 4;

/**
 * Estimates the tokens of a text that no provider counted, as one token for four UTF-8 bytes, the usual rate for
 * English text.
 */
export function estimateTokens(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / ESTIMATED_BYTES_PER_TOKEN);
}

/** Returns the bytes that count as this number of tokens. */
export function bytesOfTokens(tokens: number): number {
  return tokens * ESTIMATED_BYTES_PER_TOKEN;
}
