import { isActivity } from '../../../lambdas/accounting/daily-sums.ts';
import { dimensionValue, type Dimension } from '../../../lambdas/books/spending.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';

/** Charges, and service costs: the operator's costs at the provider, at the purchase prices of the catalog. */
export interface MarginSums {
  requests: number;
  /** Charges of the requests whose service cost is known. */
  charged: Money;
  cost: Money;
  /** Number of requests whose service cost is unknown, for example because the endpoint has no purchase prices. */
  unknown: number;
  /** Charges of the requests whose service cost is unknown, which are not part of any margin. */
  chargedUnknown: Money;
}

const nothing: MarginSums = {
  requests: 0,
  charged: Money.zero,
  cost: Money.zero,
  unknown: 0,
  chargedUnknown: Money.zero,
};

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

  /** Returns the rows, sorted by the values of the dimensions. */
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
