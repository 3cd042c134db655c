import type { WireUsage } from '../../messages/types.ts';
import { countOrAbsent } from '../../messages/usage-counts.ts';
import { withServiceTier } from '../translated/service-tier.ts';

/**
 * Converts Gemini's usage. The prompt count includes cached tokens, but not the tokens of tools that Gemini ran. The
 * candidates count excludes thoughts, unless the total shows that it includes them
 * (https://github.com/BerriAI/litellm/pull/10141#discussion_r2052272035). Vertex AI omits zeros, and sends some usage
 * without any count. Output is at least the total minus the prompt. Unknown counts stay undefined, and the gateway
 * estimates them.
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
