/**
 * An endpoint with the prompt of a conversation in its cache answers the next turn for less. Most providers charge a
 * tenth for a token read from a cache. So a conversation stays at its endpoint as long as the cache saves at least as
 * much as the endpoint's higher price costs.
 */

import { pricesFor } from '../catalog/tiers.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';

/** The endpoint that has the prompt of a conversation cached, and the size of the latest turn. */
export interface WarmPrompt {
  endpointId: string;
  /** Tokens at the start of the prompt that are cached. */
  tokens: number;
  /** Tokens of the latest answer. The next answer is assumed to be as long. */
  outputTokens: number;
  /** When the provider may have dropped the cache. */
  untilMs: number;
}

/** Two facts decide whether a conversation stays: its cached prompt, and the estimated size of its next prompt. */
export interface Warmth {
  prompt: WarmPrompt;
  promptTokens: number;
}

/**
 * Whether the next turn costs no more at the warm endpoint than at the other one, which would read the whole prompt
 * uncached. Weakness: it considers one turn only. An endpoint that would be cheaper from the second turn on, with its
 * own cache, is not used until this cache is dropped.
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
