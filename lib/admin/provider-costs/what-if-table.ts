/**
 * What requests of the past would have cost on another model: the usage of each record at the prices of each endpoint of that model, by the
 * very lines that prove what it was charged.
 *
 * Weakness: another model counts the same text as other tokens, thinks and answers at another length, and its caches are its own.
 */

import { isActivity, type FinalGeneration } from '../../../lambdas/accounting/daily-sums.ts';
import { linesOf } from '../../../lambdas/accounting/generation-lines.ts';
import type { Endpoint } from '../../../lambdas/catalog/catalog.ts';
import { factsOf } from '../../../lambdas/catalog/wires.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';

type PricedEndpoint = Endpoint & { pricing: NonNullable<Endpoint['pricing']> };

/** The sums of one endpoint. Money is in RUB. */
export interface WhatIfSums {
  requests: number;
  /** What these requests were charged. */
  charged: Money;
  /** What they would have been charged there. */
  repriced: Money;
  /** Requests that it could not have answered: their kind is another, or their prompt is longer than its context. */
  unanswerable: number;
}

/** Adds up requests for each of some endpoints. */
export class WhatIfTable {
  readonly #rows: { endpoint: PricedEndpoint; sums: WhatIfSums }[];

  constructor(endpoints: readonly PricedEndpoint[]) {
    this.#rows = endpoints.map((endpoint) => ({
      endpoint,
      sums: { requests: 0, charged: Money.zero, repriced: Money.zero, unanswerable: 0 },
    }));
  }

  /** A request that is no activity (it failed, and cost nothing) would have been none elsewhere. */
  add(generation: Generation): void {
    if (!isActivity(generation)) return;
    for (const { endpoint, sums } of this.#rows) addToWhatIf(sums, generation, endpoint);
  }

  rows(): readonly { endpoint: PricedEndpoint; sums: WhatIfSums }[] {
    return this.#rows;
  }
}

function addToWhatIf(sums: WhatIfSums, generation: FinalGeneration, endpoint: PricedEndpoint): void {
  if (!canAnswer(endpoint, generation)) {
    sums.unanswerable += 1;
    return;
  }
  sums.requests += 1;
  sums.charged = sums.charged.plus(generation.outcome.cost);
  sums.repriced = sums.repriced.plus(costAt(endpoint, generation));
}

/** Nothing is cut: its hold was made for other prices. */
function costAt({ pricing }: PricedEndpoint, generation: FinalGeneration): Money {
  const outcome = { ...generation.outcome, pricing, capped: false };
  return Money.sum(linesOf({ ...generation, outcome }).map(({ cost }) => cost));
}

function canAnswer({ wire, contextLength = Infinity }: Endpoint, { apiType, outcome }: FinalGeneration): boolean {
  const rounds = outcome.rounds.length > 0 ? outcome.rounds : [outcome];
  return factsOf(wire).answers === apiType && rounds.every(({ promptTokens }) => promptTokens <= contextLength);
}
