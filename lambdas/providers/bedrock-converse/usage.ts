import type { WireUsage } from '../../messages/types.ts';
import { isCount } from '../../messages/usage-counts.ts';
import { asRecords } from '../shapes.ts';

/** Converts usage. As in the Messages API, the input tokens exclude tokens read from or written to caches. */
export function converseUsage(usage: Record<string, unknown>): WireUsage {
  const { inputTokens, cacheReadInputTokens, cacheWriteInputTokens } = usage;
  const outputTokens = converseOutput(usage);
  return {
    ...(isCount(inputTokens) ? { input_tokens: inputTokens } : {}),
    ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
    ...(isCount(cacheReadInputTokens) ? { cache_read_input_tokens: cacheReadInputTokens } : {}),
    ...(isCount(cacheWriteInputTokens) ? { cache_creation_input_tokens: cacheWriteInputTokens } : {}),
    ...cacheCreation(usage['cacheDetails']),
  };
}

/** Returns the output tokens; if they are missing, the total without the prompt and its cache tokens. */
function converseOutput(usage: Record<string, unknown>): number | undefined {
  const { inputTokens, outputTokens, totalTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = usage;
  if (isCount(outputTokens)) return outputTokens;
  if (!isCount(inputTokens) || !isCount(totalTokens)) return undefined;
  const beyond = totalTokens - inputTokens - (isCount(read) ? read : 0) - (isCount(written) ? written : 0);
  return beyond > 0 ? beyond : undefined;
}

/** Returns the tokens written to caches, by lifetime: each lifetime has its own price. */
function cacheCreation(details: unknown): Pick<WireUsage, 'cache_creation'> {
  const written = { '5m': 0, '1h': 0 };
  const entries = asRecords(details);
  for (const { ttl, inputTokens } of entries) {
    if ((ttl === '5m' || ttl === '1h') && isCount(inputTokens)) written[ttl] += inputTokens;
  }
  if (entries.length === 0) return {};
  return {
    cache_creation: { ephemeral_5m_input_tokens: written['5m'], ephemeral_1h_input_tokens: written['1h'] },
  };
}
