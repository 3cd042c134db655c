/** What a free model may cost the service. */

import { Money } from '../money/money.ts';
import type { EndpointData, ModelData, ServiceFree } from './schema.ts';
import { dearestOf, pricesUpTo } from './tiers.ts';
import { completionUnits, promptUnits, tokenPriceNames } from './unit-lists.ts';

export const FREE_SUFFIX = ':free';

/**
 * A day's budget is spent in this many equal parts, each with a counter of its own, because one counter would make the
 * requests of all accounts wait for each other.
 */
export const BUDGET_PARTS = 8;

/** A prompt is estimated at four bytes a token, and held at one token a byte. */
const HELD_PER_ESTIMATED_TOKEN = 4;
/** What a provider may add to a prompt. */
const FREE_ADDED_TOKENS = 1_024;

/** A part of a day's budget. */
export function budgetPart({ daily_budget_rub: budget }: Pick<ServiceFree, 'daily_budget_rub'>): Money {
  return Money.fromPico(budget.pico / BigInt(BUDGET_PARTS));
}

/** What is held of the budget for the largest request of text that the terms allow, at the dearest endpoint. */
export function maxFreeRequestCost({
  service_free: terms,
  endpoints,
}: Pick<ModelData, 'service_free' | 'endpoints'>): Money {
  const held = endpoints.map(({ service_cost: cost }) => (terms && cost ? heldFor(terms, cost) : Money.zero));
  return Money.max(Money.zero, ...held);
}

function heldFor(terms: ServiceFree, cost: NonNullable<EndpointData['service_cost']>): Money {
  const promptTokens = terms.input_token_limit * HELD_PER_ESTIMATED_TOKEN + FREE_ADDED_TOKENS;
  const tiers = pricesUpTo(promptTokens, cost);
  const input = tiers.map((prices) => dearestOf(prices, promptPrices));
  const output = tiers.map((prices) => dearestOf(prices, completionPrices));
  return Money.sum([
    cost.request ?? Money.zero,
    Money.max(Money.zero, ...input).times(promptTokens),
    Money.max(Money.zero, ...output).times(terms.output_token_limit),
  ]);
}

const promptPrices = tokenPriceNames(promptUnits);
const completionPrices = tokenPriceNames(completionUnits);
