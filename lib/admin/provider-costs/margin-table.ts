import { isActivity } from '../../../lambdas/accounting/daily-sums.ts';
import { dimensionValue, type Dimension } from '../../../lambdas/books/spending.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';

/** The sums that some requests brought, and that they cost the service. */
export interface MarginSums {
  requests: number;
  /** The charges of requests whose cost to the service is known. */
  charged: Money;
  cost: Money;
  /** Requests whose cost is not known: their endpoint has no purchase prices, or they were settled by an estimate. */
  unknown: number;
  /** The charges of these; they are in no margin. */
  chargedUnknown: Money;
}

const nothing: MarginSums = {
  requests: 0,
  charged: Money.zero,
  cost: Money.zero,
  unknown: 0,
  chargedUnknown: Money.zero,
};

/** Adds up margins by some dimensions, over any number of accounts. */
export class MarginTable {
  readonly #by: readonly Dimension[];
  readonly #rows = new Map<string, MarginSums & { values: string[] }>();
  readonly total: MarginSums = { ...nothing };

  constructor(by: readonly Dimension[]) {
    this.#by = by;
  }

  add(generation: Generation, day: string): void {
    if (!isActivity(generation)) return;
    const values = this.#by.map((dimension) => dimensionValue(generation, day, dimension));
    const name = values.join('\n');
    const row = this.#rows.get(name) ?? { values, ...nothing };
    this.#rows.set(name, row);
    for (const sums of [row, this.total]) addToMargin(sums, generation.outcome);
  }

  /** In the order of their values. */
  rows(): (MarginSums & { values: string[] })[] {
    return [...this.#rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}

function addToMargin(
  sums: MarginSums,
  { cost: charged, serviceCost }: { cost: Money; serviceCost?: Money | undefined },
): void {
  sums.requests += 1;
  if (serviceCost === undefined) {
    sums.unknown += 1;
    sums.chargedUnknown = sums.chargedUnknown.plus(charged);
    return;
  }
  sums.charged = sums.charged.plus(charged);
  sums.cost = sums.cost.plus(serviceCost);
}
