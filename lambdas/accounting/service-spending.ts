import { Money } from '../money/money.ts';
import type { Generation } from '../store/generations/generation.ts';
import type { Outcome } from '../store/generations/outcome.ts';
import type { RecordedSpending } from '../store/counters/recorded-budgets.ts';
import type { ServiceHold } from '../store/counters/service-budgets.ts';

/**
 * Returns the part of an amount held in a free model's budget that the service has spent on an answer. Zero if another
 * model answered.
 */
export function spentOfHold(hold: ServiceHold, { model, serviceCost = Money.zero }: Outcome): Money {
  return hold.model === model ? Money.min(serviceCost, hold.amount) : Money.zero;
}

export class ServiceSpending {
  readonly #sums = new Map<string, RecordedSpending>();

  /** Adds the spending of a record. A record that is not final has spent nothing yet. */
  addRecord({ state, outcome, hold }: Generation): void {
    if (state !== 'final' || !outcome) return;
    for (const held of hold.serviceHolds) this.add({ ...held, spent: spentOfHold(held, outcome) });
  }

  add({ model, part, spent }: RecordedSpending): void {
    if (spent.isZero) return;
    const name = `${model} ${part}`;
    this.#sums.set(name, { model, part, spent: spent.plus(this.#sums.get(name)?.spent ?? Money.zero) });
  }

  of({ model, part }: Pick<RecordedSpending, 'model' | 'part'>): Money {
    return this.#sums.get(`${model} ${part}`)?.spent ?? Money.zero;
  }

  all(): RecordedSpending[] {
    return [...this.#sums.values()];
  }
}
