import type { WireUsage } from '../../messages/types.ts';
import { countOrAbsent } from '../../messages/usage-counts.ts';

/** Token counts in OpenAI's form: the prompt includes cached tokens, and the output includes reasoning. */
export interface InclusiveCounts {
  prompt: unknown;
  output: unknown;
  total: unknown;
  cached: unknown;
  cacheWritten: unknown;
  reasoning: unknown;
}

/**
 * Converts token counts to usage of the Messages API, which counts cached tokens separately. Some providers deviate
 * from OpenAI's form, which the sum of prompt and output reveals:
 * - If the total exceeds the sum, the output excludes reasoning. Without a total, the same holds if reasoning exceeds
 *   output.
 * - If the total exceeds the sum by exactly the cached tokens, the prompt excludes the cached tokens.
 *
 * Counts that are missing, and do not follow from the total, stay undefined and are estimated: an empty usage does not
 * mean a free answer.
 */
export function usageOf(counts: InclusiveCounts): WireUsage {
  const total = countOrAbsent(counts.total);
  const reasoning = countOrAbsent(counts.reasoning);
  const prompt = wholePrompt(counts, total, reasoning);
  const reported = countOrAbsent(counts.cached);
  // One hosted model reported more cached tokens than prompt tokens, so cached tokens are limited to the prompt.
  const cached = reported === undefined ? undefined : Math.min(reported, prompt ?? 0);
  const reportedWritten = countOrAbsent(counts.cacheWritten);
  // Some providers report the same tokens as read from and written to a cache. The sum must not exceed the prompt.
  const written = reportedWritten === undefined ? undefined : Math.min(reportedWritten, (prompt ?? 0) - (cached ?? 0));
  const output = outputOf(countOrAbsent(counts.output), { prompt, total, reasoning });
  return {
    ...(prompt === undefined ? {} : { input_tokens: prompt - (cached ?? 0) - (written ?? 0) }),
    ...(output === undefined ? {} : { output_tokens: output }),
    ...(cached === undefined ? {} : { cache_read_input_tokens: cached }),
    ...(written === undefined ? {} : { cache_creation_input_tokens: written }),
    ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}

/** Returns the prompt tokens including cached tokens, which some providers exclude. */
function wholePrompt(
  counts: InclusiveCounts,
  total: number | undefined,
  reasoning: number | undefined,
): number | undefined {
  const prompt = countOrAbsent(counts.prompt);
  const output = countOrAbsent(counts.output);
  if (prompt === undefined && total !== undefined && output !== undefined) return Math.max(0, total - output);
  if (prompt === undefined || total === undefined) return prompt;
  const [cached, written] = [countOrAbsent(counts.cached) ?? 0, countOrAbsent(counts.cacheWritten) ?? 0];
  const beyond = total - prompt - (output ?? 0);
  // If the total exceeds prompt plus output by exactly the reasoning, the output probably excludes the reasoning.
  // However, with more cached tokens than prompt tokens, the prompt excludes the cached tokens.
  if (beyond <= 0 || (beyond === reasoning && cached + written <= prompt)) return prompt;
  return [cached + written, cached, written].includes(beyond) ? prompt + beyond : prompt;
}

function outputOf(
  output: number | undefined,
  { prompt, total, reasoning = 0 }: Record<'prompt' | 'total' | 'reasoning', number | undefined>,
): number | undefined {
  if (total !== undefined && prompt !== undefined) return Math.max(output ?? 0, total - prompt);
  return output !== undefined && reasoning > output ? output + reasoning : output;
}

/** Returns the first valid count above zero; zero if there are only zeros. Relays send zeros for unknown counts. */
export function firstCount(...values: unknown[]): number | undefined {
  const counts = values.map(countOrAbsent).filter((value) => value !== undefined);
  return counts.find((count) => count > 0) ?? counts[0];
}

/** Returns the object in a field of `usage`; empty if there is none. */
export function detailsIn(usage: Record<string, unknown>, field: string): Record<string, unknown> {
  const value = usage[field];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
