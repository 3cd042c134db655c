import type { WireUsage } from '../../messages/types.ts';
import { countOrAbsent } from '../../messages/usage-counts.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { withoutUndefined } from '../../platform/json/records.ts';
import { withServiceTier } from '../translated/service-tier.ts';

/** Traffic that is not a service tier: at the standard price, or provisioned, which is paid separately. */
const USUAL_TRAFFIC: ReadonlySet<string> = new Set(['ON_DEMAND', 'TRAFFIC_TYPE_UNSPECIFIED', 'PROVISIONED_THROUGHPUT']);

/**
 * Converts usage; returns undefined if it has no counts. The prompt count includes cached tokens, but not the tokens of
 * tools that Gemini ran. The candidates count (output) normally excludes thoughts; the total shows whether this count
 * includes them (https://github.com/BerriAI/litellm/pull/10141#discussion_r2052272035).
 */
export function geminiUsage(usage: Record<string, unknown>): WireUsage | undefined {
  const candidates = countOrAbsent(usage['candidatesTokenCount']);
  const thoughts = countOrAbsent(usage['thoughtsTokenCount']);
  const cached = countOrAbsent(usage['cachedContentTokenCount']);
  const { prompt, total } = withOmittedCache(usage, cached);
  const written = candidates === undefined && total !== undefined ? undefined : sumOfCounts(candidates, thoughts);
  const input = prompt === undefined ? countDifference(total, written) : sumOfCounts(prompt, toolPromptTokens(usage));
  const beyond = countDifference(total, input);
  const hasThoughtsWithin = (thoughts ?? 0) > 0 && beyond === candidates && (thoughts ?? 0) <= (candidates ?? 0);
  const output = written === undefined || hasThoughtsWithin ? beyond : Math.max(written, beyond ?? 0);
  const read = cached === undefined ? undefined : Math.min(cached, prompt ?? input ?? 0);
  if (input === undefined && output === undefined) {
    // On Vertex AI, the first events of a stream have only this count (https://github.com/langchain-ai/langchainjs/pull/9912).
    return cached ? { cache_read_input_tokens: cached } : undefined;
  }
  const counts = {
    ...(input === undefined ? {} : { input_tokens: input - (read ?? 0) }),
    ...(output === undefined ? {} : { output_tokens: output }),
    ...(read === undefined ? {} : { cache_read_input_tokens: read }),
    ...geminiOutputDetails(thoughts, drawnTokens(usage)),
  };
  return withGeminiTier(counts, usage);
}

/**
 * Returns the counts of the prompt and of all tokens. Vertex AI sometimes omits cached tokens from both counts
 * (https://github.com/BerriAI/litellm/issues/39125). They are added to a count that cannot include them.
 */
function withOmittedCache(
  { promptTokenCount, totalTokenCount }: Record<string, unknown>,
  cached = 0,
): { prompt: number | undefined; total: number | undefined } {
  const [reported, total] = [countOrAbsent(promptTokenCount), countOrAbsent(totalTokenCount)];
  if (reported === undefined || cached <= reported) return { prompt: reported, total };
  const prompt = reported + cached;
  return { prompt, total: total !== undefined && total < prompt ? total + cached : total };
}

function geminiOutputDetails(thoughts: number | undefined, images: number | undefined): Partial<WireUsage> {
  const details = withoutUndefined({ thinking_tokens: thoughts, image_tokens: images });
  return Object.keys(details).length > 0 ? { output_tokens_details: details } : {};
}

/** Returns the tokens of generated images; undefined if the usage does not list the output by kind. */
function drawnTokens({ candidatesTokensDetails: details }: Record<string, unknown>): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const images = details.map(recordOrEmpty).filter(({ modality }) => modality === 'IMAGE');
  return sumOfCounts(...images.map(({ tokenCount }) => countOrAbsent(tokenCount)));
}

/**
 * Adds the service tier to the usage if the tier does not have the standard price. The Gemini API reports the tier;
 * Vertex AI reports the kind of traffic instead.
 */
export function withGeminiTier(usage: WireUsage, { serviceTier, trafficType }: Record<string, unknown>): WireUsage {
  const isUsual = typeof trafficType !== 'string' || USUAL_TRAFFIC.has(trafficType);
  return withServiceTier(usage, isUsual ? serviceTier : trafficType);
}

function toolPromptTokens(usage: Record<string, unknown>): number | undefined {
  return countOrAbsent(usage['toolUsePromptTokenCount']);
}

/** Returns the sum of the known counts; undefined if none is known. */
function sumOfCounts(...counts: (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

function countDifference(total: number | undefined, input: number | undefined): number | undefined {
  return total === undefined || input === undefined ? undefined : Math.max(0, total - input);
}
