import type { WireUsage } from '../../messages/types.ts';
import { answerDetails, costFields, promptDetails, promptTokensOf } from '../usage-details.ts';

/**
 * Returns the usage of an answer. The prompt tokens include cached tokens, and the completion tokens include thinking.
 */
export function completionUsage(usage: WireUsage): Record<string, unknown> {
  const prompt = promptTokensOf(usage);
  const completion = usage.output_tokens ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: promptDetails(usage),
    completion_tokens_details: answerDetails(usage),
    ...costFields(usage),
  };
}
