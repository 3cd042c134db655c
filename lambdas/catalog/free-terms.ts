/** Costs of a free model for the operator: the parts of its daily budget, and the hold for one request. */

import { Money } from '../money/money.ts';
import { allPricings } from './price-periods.ts';
import type { ModelData, Pricing, ServiceFree } from './schema.ts';
import { highestPriceOf, pricesUpTo } from './tiers.ts';
import { completionUnits, promptUnits, tokenPriceNames } from './unit-lists.ts';

export const FREE_SUFFIX = ':free';

/** Number of equal parts of a day's budget. The requests of all accounts would conflict on a single counter. */
export const BUDGET_PARTS = 8;

/** An estimate has one token per four bytes, a hold one token per byte. */
const HELD_PER_ESTIMATED_TOKEN = 4;
/** Assumed maximum of the tokens that a provider adds to a prompt. */
const FREE_ADDED_TOKENS = 1_024;

/** Returns the amount in one part of a day's budget. */
export function budgetPart({ daily_budget_rub: budget }: Pick<ServiceFree, 'daily_budget_rub'>): Money {
  return Money.fromPico(budget.pico / BigInt(BUDGET_PARTS));
}

/** Returns the hold for the largest text request of the terms, at the most expensive endpoint. */
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
  return Money.sum([
    cost.request ?? Money.zero,
    highestPriceOf(tiers, promptPrices).times(promptTokens),
    highestPriceOf(tiers, completionPrices).times(terms.output_token_limit),
  ]);
}

const promptPrices = tokenPriceNames(promptUnits);
const completionPrices = tokenPriceNames(completionUnits);
