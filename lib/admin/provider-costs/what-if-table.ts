/**
 * Cost that past requests would have had with other models: the recorded usage at the prices of each endpoint.
 *
 * Weakness: another model would count, answer and cache differently.
 */

import { isActivity, type FinalGeneration } from '../../../lambdas/accounting/daily-sums.ts';
import { linesOf } from '../../../lambdas/accounting/generation-lines.ts';
import type { Endpoint } from '../../../lambdas/catalog/catalog.ts';
import { factsOf } from '../../../lambdas/catalog/wires.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';

type PricedEndpoint = Endpoint & { pricing: NonNullable<Endpoint['pricing']> };

export interface WhatIfSums {
  requests: number;
  charged: Money;
  /** Cost at the prices of this endpoint. */
  repriced: Money;
  /** Number of requests that need another kind of output, or have a longer prompt than the endpoint's context. */
  unanswerable: number;
}

export class WhatIfTable {
  readonly #rows: { endpoint: PricedEndpoint; sums: WhatIfSums }[];

  constructor(endpoints: readonly PricedEndpoint[]) {
    this.#rows = endpoints.map((endpoint) => ({
      endpoint,
      sums: { requests: 0, charged: Money.zero, repriced: Money.zero, unanswerable: 0 },
    }));
  }

  /** Adds a request, unless it is unfinished, or failed or was cancelled without cost. */
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

/** Returns a request's cost at other prices. The request's hold does not limit it: the hold is from the old prices. */
function costAt({ pricing }: PricedEndpoint, generation: FinalGeneration): Money {
  const outcome = { ...generation.outcome, pricing, capped: false };
  return Money.sum(linesOf({ ...generation, outcome }).map(({ cost }) => cost));
}

function canAnswer({ wire, contextLength = Infinity }: Endpoint, { apiType, outcome }: FinalGeneration): boolean {
  const rounds = outcome.rounds.length > 0 ? outcome.rounds : [outcome];
  return factsOf(wire).answers === apiType && rounds.every(({ promptTokens }) => promptTokens <= contextLength);
}
