/**
 * Calculates how much a free model may cost the operator: the parts of its daily budget, and the hold for one request.
 */

import { Money } from '../money/money.ts';
import { allPricings } from './price-periods.ts';
import type { ModelData, Pricing, ServiceFree } from './schema.ts';
import { highestPriceOf, pricesUpTo } from './tiers.ts';
import { completionUnits, promptUnits, tokenPriceNames } from './unit-lists.ts';

export const FREE_SUFFIX = ':free';

/**
 * Number of equal parts of a day's budget. Each part has its own counter, because the requests of all accounts would
 * conflict on a single counter.
 */
export const BUDGET_PARTS = 8;

/** Ratio of held to estimated prompt tokens: the estimate is one token per four bytes, the hold one token per byte. */
const HELD_PER_ESTIMATED_TOKEN = 4;
/** Assumed maximum of the tokens that a provider adds to a prompt. */
const FREE_ADDED_TOKENS = 1_024;

/** Returns the amount of money in one part of a day's budget. */
export function budgetPart({ daily_budget_rub: budget }: Pick<ServiceFree, 'daily_budget_rub'>): Money {
  return Money.fromPico(budget.pico / BigInt(BUDGET_PARTS));
}

/** Returns the hold on the budget for the largest text request that the terms allow, at the most expensive endpoint. */
export function maxFreeRequestCost({
  service_free: terms,
  endpoints,
}: Pick<ModelData, 'service_free' | 'endpoints'>): Money {
  const costs = endpoints.flatMap(({ service_cost: cost }) => (cost ? allPricings(cost) : []));
  const held = costs.map((cost) => (terms ? heldFor(terms, cost) : Money.zero));
  return Money.max(Money.zero, ...held);
}

function heldFor(terms: ServiceFree, cost: Pricing): Money {
  const promptTokens = terms.input_token_limit * HELD_PER_ESTIMATED_TOKEN + FREE_ADDED_TOKENS;
  const tiers = pricesUpTo(promptTokens, cost);
  const input = tiers.map((prices) => highestPriceOf(prices, promptPrices));
  const output = tiers.map((prices) => highestPriceOf(prices, completionPrices));
  return Money.sum([
    cost.request ?? Money.zero,
    Money.max(Money.zero, ...input).times(promptTokens),
    Money.max(Money.zero, ...output).times(terms.output_token_limit),
  ]);
}

const promptPrices = tokenPriceNames(promptUnits);
const completionPrices = tokenPriceNames(completionUnits);
