/**
 * Decides whether a conversation stays at the endpoint that has its prompt cached. Many providers charge about a tenth
 * of the input price for a token read from the cache. A conversation stays as long as the cache saves at least as much
 * as the endpoint's higher prices cost.
 */

import { pricesFor } from '../catalog/tiers.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';

/** Endpoint that has the prompt of a conversation cached, and the size of the latest turn. */
export interface WarmPrompt {
  endpointId: string;
  /** Number of tokens at the start of the prompt that are cached. */
  tokens: number;
  /** Number of output tokens of the latest answer. The next answer is assumed to be as long. */
  outputTokens: number;
  /** Time in epoch ms from which the provider may have dropped the cache. */
  untilMs: number;
}

/**
 * Facts that determine whether a conversation stays at its endpoint: the cached prompt, and the estimated size of the
 * next prompt in tokens.
 */
export interface Warmth {
  prompt: WarmPrompt;
  promptTokens: number;
}

/**
 * Returns whether the next turn costs no more at the endpoint with the cache. The other endpoint would read the whole
 * prompt uncached.
 *
 * Weakness: only one turn is considered. The other endpoint might be cheaper from the second turn on, when it would
 * have its own cache. The conversation normally moves there only when the current cache expires.
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
