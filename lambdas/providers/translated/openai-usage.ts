import type { WireUsage } from '../../messages/types.ts';
import { withoutUndefined } from '../../platform/json/records.ts';
import { detailsIn, firstCount, usageOf } from './usage.ts';

/**
 * Converts usage of chat completions and of the Responses API. Relays mix the field names of both APIs, and some
 * providers have their own fields. xAI and Gemini do not count reasoning as completion tokens; only the total includes
 * it. GigaChat does not count cached tokens as prompt tokens.
 */
export function openaiUsage(usage: Record<string, unknown>): WireUsage {
  const promptDetails = {
    ...detailsIn(usage, 'input_tokens_details'),
    ...detailsIn(usage, 'prompt_token_details'),
    ...detailsIn(usage, 'prompt_tokens_details'),
  };
  const outputDetails = {
    ...detailsIn(usage, 'output_tokens_details'),
    ...detailsIn(usage, 'completion_tokens_details'),
  };
  const counts = usageOf({
    // Some servers relay the Messages API or the Responses API, and keep that API's field names.
    prompt: promptWithCaches(usage),
    output: firstCount(usage['completion_tokens'], usage['output_tokens']),
    total: usage['total_tokens'],
    // DeepSeek, Moonshot, Mistral and relays of Claude have their own fields for cached tokens.
    cached: firstCount(
      promptDetails['cached_tokens'],
      usage['prompt_cache_hit_tokens'],
      usage['cached_tokens'],
      usage['num_cached_tokens'],
      usage['cache_read_input_tokens'],
    ),
    // Alibaba and relays of Claude have their own fields for tokens written to a cache.
    cacheWritten: firstCount(
      promptDetails['cache_write_tokens'],
      promptDetails['cache_creation_input_tokens'],
      promptDetails['cache_creation_tokens'],
      promptDetails['cached_creation_tokens'],
      usage['cache_creation_input_tokens'],
    ),
    // Perplexity reports reasoning tokens at the top level.
    reasoning: firstCount(outputDetails['reasoning_tokens'], usage['reasoning_tokens']),
  });
  const apart = firstCount(usage['precached_prompt_tokens']);
  const detailed = withMediaTokens(counts, outputDetails, firstCount(promptDetails['audio_tokens']));
  return apart === undefined ? detailed : { cache_read_input_tokens: apart, ...detailed };
}

/**
 * Adds the tokens of images and audio to usage. Images and speech are part of the output. Input audio is counted apart
 * from the other input.
 */
function withMediaTokens(counts: WireUsage, details: Record<string, unknown>, heard: number | undefined): WireUsage {
  const media = withoutUndefined({
    image_tokens: firstCount(details['image_tokens']) || undefined,
    audio_tokens: firstCount(details['audio_tokens']) || undefined,
  });
  const input = counts.input_tokens ?? 0;
  // Audio tokens beyond the uncached input were read from a cache, and are counted only as cached.
  const recorded = Math.min(heard ?? 0, input);
  return {
    ...counts,
    ...(recorded > 0 ? { input_tokens: input - recorded, audio_input_tokens: recorded } : {}),
    ...(Object.keys(media).length > 0 ? { output_tokens_details: { ...counts.output_tokens_details, ...media } } : {}),
  };
}

/** Returns all prompt tokens. `input_tokens` of the Messages API excludes cached tokens, so they are added. */
function promptWithCaches(usage: Record<string, unknown>): number | undefined {
  const caches =
    (firstCount(usage['cache_read_input_tokens']) ?? 0) + (firstCount(usage['cache_creation_input_tokens']) ?? 0);
  const prompt = firstCount(usage['prompt_tokens']);
  if (prompt) return prompt < caches ? prompt + caches : prompt;
  const input = firstCount(usage['input_tokens']);
  return input === undefined ? hitsAndMisses(usage) : input + caches;
}

/**
 * Returns the sum of DeepSeek's cache hits and misses; undefined without misses. Some relays send only these counts.
 */
function hitsAndMisses(usage: Record<string, unknown>): number | undefined {
  const misses = firstCount(usage['prompt_cache_miss_tokens']);
  return misses === undefined ? undefined : misses + (firstCount(usage['prompt_cache_hit_tokens']) ?? 0);
}
