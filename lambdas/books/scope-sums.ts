import { Money } from '../money/money.ts';
import { daysOfNamedWindow, utcDate } from '../money/periods.ts';
import type { ScopeId, StoredCounter } from '../store/counters.ts';
import type { Generation } from '../store/generation.ts';
import { scopesOf } from '../store/payer.ts';

/** What records say of one scope on one UTC day. */
interface DayOfScope {
  /** What its final generations cost. */
  spent: Money;
  /** What is held for its pending ones. */
  held: Money;
}

/** What records say of one scope, by UTC day. */
export interface ScopeDays extends ScopeId {
  days: Map<string, DayOfScope>;
}

/** Adds up records by the scopes that their money is counted in. */
export class ScopeSums {
  readonly #scopes = new Map<string, ScopeDays>();

  add({ payer, state, outcome, hold, createdAtMs }: Generation): void {
    const date = utcDate(createdAtMs);
    for (const scope of scopesOf(payer)) {
      if (state === 'final') this.addTo(scope, date, { spent: outcome!.cost, held: Money.zero });
      else if (hold.scopes.includes(scope.kind)) this.addTo(scope, date, { spent: Money.zero, held: hold.amount });
    }
  }

  addTo(scope: ScopeId, date: string, more: DayOfScope): void {
    const name = `${scope.kind}#${scope.id}`;
    const known = this.#scopes.get(name) ?? { ...scope, days: new Map<string, DayOfScope>() };
    const { spent = Money.zero, held = Money.zero } = known.days.get(date) ?? {};
    known.days.set(date, { spent: spent.plus(more.spent), held: held.plus(more.held) });
    this.#scopes.set(name, known);
  }

  /** What records say of a scope; nothing where none names it. */
  of(scope: ScopeId): ScopeDays {
    return this.#scopes.get(`${scope.kind}#${scope.id}`) ?? { ...scope, days: new Map() };
  }

  scopes(): ScopeDays[] {
    return [...this.#scopes.values()];
  }
}

/** A window of a counter that says something else than the records of its days. */
export interface WindowDrift {
  window: string;
  what: 'spent' | 'held';
  counted: Money;
  recorded: Money;
}

export interface Coverage {
  /** Whether all records of a UTC day were added up; of days to come there are none. */
  covers: (date: string) => boolean;
  /** All records of the account were. */
  isWhole: boolean;
  /** Whether records of what is pending were looked at. */
  knowsHolds: boolean;
}

/** Windows of a counter whose days were all added up: those that are kept, and how many there are. */
export function driftOf(
  { days }: Pick<ScopeDays, 'days'>,
  counter: StoredCounter,
  { covers, isWhole, knowsHolds }: Coverage,
): { drift: WindowDrift[]; compared: number } {
  const comparable = counter.windows().filter((window) => daysOfNamedWindow(window)?.every(covers) ?? isWhole);
  const drift = comparable.flatMap((window): WindowDrift[] => {
    const inside = daysOfNamedWindow(window) ?? [...days.keys()];
    const of = (what: keyof DayOfScope) => Money.sum(inside.flatMap((date) => days.get(date)?.[what] ?? []));
    const spent = counter.spent(window);
    const found: WindowDrift[] = [
      { window, what: 'spent', counted: spent, recorded: of('spent') },
      { window, what: 'held', counted: counter.committed(window).minus(spent), recorded: of('held') },
    ];
    return found.filter(({ what, counted, recorded }) => (what === 'spent' || knowsHolds) && !counted.equals(recorded));
  });
  return { drift, compared: comparable.length };
}
