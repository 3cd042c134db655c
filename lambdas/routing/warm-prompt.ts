/**
 * Many providers charge about a tenth of the input price for a token read from the cache. A conversation stays at its
 * endpoint as long as the cache saves at least as much as higher prices cost.
 */

import { pricesFor } from '../catalog/tiers.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';

export interface WarmPrompt {
  endpointId: string;
  /** Number of cached tokens at the start of the prompt. */
  tokens: number;
  /** Output tokens of the latest answer; the next answer is assumed to be as long. */
  outputTokens: number;
  /** Time in epoch ms from which the provider may have dropped the cache. */
  untilMs: number;
}

/** A cached prompt, and the estimated size of the next prompt in tokens. */
export interface Warmth {
  prompt: WarmPrompt;
  promptTokens: number;
}

/**
 * Whether the next turn costs no more at the endpoint with the cache than uncached at the other endpoint.
 *
 * Weakness: only one turn is considered. The other endpoint might be cheaper from the second turn on, when it would
 * have its own cache.
 */
export function isWorthStaying({ prompt, promptTokens }: Warmth, warm: Pricing, other: Pricing): boolean {
  const cachedTokens = Math.min(prompt.tokens, promptTokens);
  const here = turnCost(warm, { promptTokens, cachedTokens, outputTokens: prompt.outputTokens });
  const there = turnCost(other, { promptTokens, cachedTokens: 0, outputTokens: prompt.outputTokens });
  return !here.exceeds(there);
}

interface PromptTurn {
  promptTokens: number;
  cachedTokens: number;
  outputTokens: number;
}

function turnCost(pricing: Pricing, { promptTokens, cachedTokens, outputTokens }: PromptTurn): Money {
  const { prompt, completion, input_cache_read: cached = prompt } = pricesFor(promptTokens, pricing);
  return Money.sum([
    pricing.request ?? Money.zero,
    prompt.times(promptTokens - cachedTokens),
    cached.times(cachedTokens),
    completion.times(outputTokens),
  ]);
}
