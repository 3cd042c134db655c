import type { WireUsage } from '../../messages/types.ts';
import { countOrAbsent } from '../../messages/usage-counts.ts';

/** Counts as OpenAI and its likes report them: caches inside the prompt, reasoning inside the output. */
export interface InclusiveCounts {
  prompt: unknown;
  output: unknown;
  total: unknown;
  cached: unknown;
  cacheWritten: unknown;
  reasoning: unknown;
}

/**
 * The same as the Messages API counts, caches apart. If the total is more than prompt and output, reasoning was left
 * out of the output; so it was if there is no total, and more reasoning than output. If the total has exactly the caches
 * in addition, they were left out of the prompt.
 *
 * What is not a whole number counts as not reported. What is not reported is left out, and the gateway counts it. An
 * empty usage is not a free answer.
 */
export function usageOf(counts: InclusiveCounts): WireUsage {
  const total = countOrAbsent(counts.total);
  const reasoning = countOrAbsent(counts.reasoning);
  const prompt = wholePrompt(counts, total, reasoning);
  const reported = countOrAbsent(counts.cached);
  // A hosted model was seen to report more cached tokens than prompt tokens.
  const cached = reported === undefined ? undefined : Math.min(reported, prompt ?? 0);
  const told = countOrAbsent(counts.cacheWritten);
  // Some name the same tokens as read and as written: no more than the prompt is either.
  const written = told === undefined ? undefined : Math.min(told, (prompt ?? 0) - (cached ?? 0));
  const output = outputOf(countOrAbsent(counts.output), { prompt, total, reasoning });
  return {
    ...(prompt === undefined ? {} : { input_tokens: prompt - (cached ?? 0) - (written ?? 0) }),
    ...(output === undefined ? {} : { output_tokens: output }),
    ...(cached === undefined ? {} : { cache_read_input_tokens: cached }),
    ...(written === undefined ? {} : { cache_creation_input_tokens: written }),
    ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}

/** The prompt with its caches, whether or not the provider counts them in it. */
function wholePrompt(
  counts: InclusiveCounts,
  total: number | undefined,
  reasoning: number | undefined,
): number | undefined {
  const prompt = countOrAbsent(counts.prompt);
  if (prompt === undefined || total === undefined) return prompt;
  const [cached, written] = [countOrAbsent(counts.cached) ?? 0, countOrAbsent(counts.cacheWritten) ?? 0];
  const beyond = total - prompt - (countOrAbsent(counts.output) ?? 0);
  // As much reasoning would explain the difference as well, unless the prompt has no room for its caches.
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

/** The first of some fields that is a count. */
export function firstCount(...values: unknown[]): number | undefined {
  return values.map(countOrAbsent).find((value) => value !== undefined);
}

/** The details of a usage; empty where there are none. */
export function detailsIn(usage: Record<string, unknown>, field: string): Record<string, unknown> {
  const value = usage[field];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
