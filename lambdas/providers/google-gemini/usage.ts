import type { WireUsage } from '../../messages/types.ts';
import { countOrAbsent } from '../../messages/usage-counts.ts';
import { withServiceTier } from '../translated/service-tier.ts';

/**
 * Usage as Gemini reports it. Its prompt has the cached tokens in it, but not those of tools that it ran; its candidates are
 * without the thoughts, unless the total says that they are among them (https://github.com/BerriAI/litellm/pull/10141#discussion_r2052272035). Counts may be missing (Vertex AI sends some usage that has no count at all, and zeros are left
 * out): what the total has beyond the prompt was written in any case. What is not known is left out, and the gateway counts.
 */
export function geminiUsage(usage: Record<string, unknown>): WireUsage | undefined {
  const prompt = countOrAbsent(usage['promptTokenCount']);
  const candidates = countOrAbsent(usage['candidatesTokenCount']);
  const thoughts = countOrAbsent(usage['thoughtsTokenCount']);
  const cached = countOrAbsent(usage['cachedContentTokenCount']);
  const input = prompt === undefined ? undefined : prompt + (countOrAbsent(usage['toolUsePromptTokenCount']) ?? 0);
  const beyond = countDifference(countOrAbsent(usage['totalTokenCount']), input);
  const written = candidates === undefined ? undefined : candidates + (thoughts ?? 0);
  const hasThoughtsWithin = (thoughts ?? 0) > 0 && beyond === candidates && (thoughts ?? 0) <= (candidates ?? 0);
  const output = written === undefined || hasThoughtsWithin ? beyond : Math.max(written, beyond ?? 0);
  const read = cached === undefined ? undefined : Math.min(cached, prompt ?? 0);
  if (input === undefined && output === undefined) return undefined;
  const counts = {
    ...(input === undefined ? {} : { input_tokens: input - (read ?? 0) }),
    ...(output === undefined ? {} : { output_tokens: output }),
    ...(read === undefined ? {} : { cache_read_input_tokens: read }),
    ...(thoughts === undefined ? {} : { output_tokens_details: { thinking_tokens: thoughts } }),
  };
  return withServiceTier(counts, usage['serviceTier']);
}

function countDifference(total: number | undefined, input: number | undefined): number | undefined {
  return total === undefined || input === undefined ? undefined : Math.max(0, total - input);
}
