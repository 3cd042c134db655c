/**
 * An endpoint that has the prompt of a conversation in its cache answers the next turn for less: at most providers, a token that
 * is read from a cache costs a tenth of one that is read anew. So a conversation stays where its cache is, as long as the
 * cache is worth more than the difference in price to the endpoint that would come first without it.
 */

import { pricesFor } from '../catalog/tiers.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';

/** Where the prompt of a conversation is cached, and what its latest turn came to. */
export interface WarmPrompt {
  endpointId: string;
  /** Tokens at the beginning of the prompt that the endpoint's cache has. */
  tokens: number;
  /** Tokens that the latest answer had: the next one is taken to be as long. */
  outputTokens: number;
  /** When the provider may have forgotten it. */
  untilMs: number;
}

/** Two facts decide whether a conversation stays: where it is warm, and the probable size of its next prompt. */
export interface Warmth {
  prompt: WarmPrompt;
  promptTokens: number;
}

/**
 * Whether the next turn costs no more at the warm endpoint than at another, which would read the whole prompt anew.
 * Weakness: it looks at one turn. An endpoint that is cheaper from the second turn on, when its own cache is warm, has to wait
 * until this cache is forgotten.
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
