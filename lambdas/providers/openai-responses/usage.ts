import type { WireUsage } from '../../messages/types.ts';
import { detailsIn, usageOf } from '../translated/usage.ts';

/**
 * Converts usage of Responses providers, including xAI. Input tokens include cached ones, and output tokens include
 * reasoning.
 */
export function usageOfResponses(usage: Record<string, unknown>): WireUsage {
  const inputDetails = detailsIn(usage, 'input_tokens_details');
  return usageOf({
    prompt: usage['input_tokens'],
    output: usage['output_tokens'],
    total: usage['total_tokens'],
    cached: inputDetails['cached_tokens'],
    cacheWritten: inputDetails['cache_write_tokens'],
    reasoning: detailsIn(usage, 'output_tokens_details')['reasoning_tokens'],
  });
}
