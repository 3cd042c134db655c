import { completionParts, countedUnits, pieces, promptUnits, type UsageField } from '../catalog/unit-lists.ts';

type Counts = { [Field in UsageField]?: number | undefined };

/**
 * The units of one generation, each a field (catalog/billing-units.ts). Tokens of the prompt are in separate counts, as
 * in the Messages API: `inputTokens` excludes tokens read from or written to a cache. Parts of the answer, such as
 * `reasoningTokens`, are included in `outputTokens`. Undefined means that the provider did not report it; it is not
 * zero.
 */
export interface TokenUsage extends Counts {
  inputTokens: number;
  outputTokens: number;
}

/** All prompt tokens, cached or not. */
export function promptTokens(usage: TokenUsage): number {
  let tokens = 0;
  for (const { usage: field } of promptUnits) tokens += usage[field] ?? 0;
  return tokens;
}

/** Units that an answer may consist of without any token. */
const alone = pieces.filter((unit) => unit.alone);

/** Whether a request to a provider has any usage. A request without usage has no fee either. */
export function isUsed(usage: TokenUsage): boolean {
  return promptTokens(usage) + usage.outputTokens > 0 || hasUnitAlone(usage);
}

/** Whether an answer with these counts needs no token. */
export function hasUnitAlone(counts: Counts): boolean {
  return alone.some(({ usage: field }) => (counts[field] ?? 0) > 0);
}

/**
 * The usage of two requests to providers that belong to one generation. Counts that neither reported stay unreported.
 */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  for (const { usage: field } of countedUnits) {
    const [one, other] = [a[field], b[field]];
    // A field that neither has stays absent.
    if (one !== undefined || other !== undefined) sum[field] = (one ?? 0) + (other ?? 0);
  }
  return sum;
}

/** Cuts the parts of the answer, in place, to the whole. A larger sum would give the rest a negative price. */
export function fitParts(usage: TokenUsage): void {
  let left = usage.outputTokens;
  for (const { usage: field } of completionParts) {
    const tokens = usage[field];
    if (tokens === undefined) continue;
    usage[field] = Math.min(tokens, left);
    left -= usage[field];
  }
}

/** Removes the parts of the answer from a usage. */
export const noParts: Partial<TokenUsage> = Object.fromEntries(
  completionParts.map(({ usage: field }) => [field, undefined]),
);

/**
 * Estimates the tokens of a text that no provider counted. Four UTF-8 bytes a token is the usual rate for English and,
 * at two bytes a letter, half a word for Russian. The result is marked as an estimate everywhere.
 */
export function estimateTokens(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / 4);
}
