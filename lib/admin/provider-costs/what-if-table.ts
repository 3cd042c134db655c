/**
 * Computes the cost that past requests would have had with other models: the recorded usage at the prices of each
 * endpoint. The code that computes the prices is the same as for the actual charges.
 *
 * Weakness: another model would count different tokens for the same text, reason and answer at a different length, and
 * cache differently.
 */

import { isActivity, type FinalGeneration } from '../../../lambdas/accounting/daily-sums.ts';
import { linesOf } from '../../../lambdas/accounting/generation-lines.ts';
import type { Endpoint } from '../../../lambdas/catalog/catalog.ts';
import { factsOf } from '../../../lambdas/catalog/wires.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';

type PricedEndpoint = Endpoint & { pricing: NonNullable<Endpoint['pricing']> };

/** Sums for one endpoint. Money is in RUB. */
export interface WhatIfSums {
  requests: number;
  /** Actual charges of the requests. */
  charged: Money;
  /** Cost of the same requests at the prices of this endpoint. */
  repriced: Money;
  /**
   * Number of requests that the endpoint could not answer, because they need another kind of output, or their prompt is
   * longer than its context.
   */
  unanswerable: number;
}

/** Table with the sums of each given endpoint. */
export class WhatIfTable {
  readonly #rows: { endpoint: PricedEndpoint; sums: WhatIfSums }[];

  constructor(endpoints: readonly PricedEndpoint[]) {
    this.#rows = endpoints.map((endpoint) => ({
      endpoint,
      sums: { requests: 0, charged: Money.zero, repriced: Money.zero, unanswerable: 0 },
    }));
  }

  /**
   * Adds a request. Unfinished requests, and requests that failed or were cancelled without cost, are ignored, because
   * they have no charges to compare.
   */
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

/**
 * Returns the cost of a request at the prices of an endpoint. The request's hold does not limit this cost, because it
 * was computed from other prices.
 */
function costAt({ pricing }: PricedEndpoint, generation: FinalGeneration): Money {
  const outcome = { ...generation.outcome, pricing, capped: false };
  return Money.sum(linesOf({ ...generation, outcome }).map(({ cost }) => cost));
}

function canAnswer({ wire, contextLength = Infinity }: Endpoint, { apiType, outcome }: FinalGeneration): boolean {
  const rounds = outcome.rounds.length > 0 ? outcome.rounds : [outcome];
  return factsOf(wire).answers === apiType && rounds.every(({ promptTokens }) => promptTokens <= contextLength);
}
