import { Money } from '../money/money.ts';
import { daysOfNamedWindow, utcDate } from '../money/periods.ts';
import type { ScopeId, StoredCounter } from '../store/counters/counters.ts';
import type { SpentBefore } from '../store/counters/proved-spending.ts';
import type { Generation } from '../store/generations/generation.ts';
import { scopesOf } from '../store/accounts/payer.ts';

interface DayOfScope {
  /** Cost of the final generations. */
  spent: Money;
  /** Amount held for pending generations. */
  held: Money;
}

export interface ScopeDays extends ScopeId {
  days: Map<string, DayOfScope>;
}

/** Adds up records by scope. */
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

  /** Returns the sums of a scope; without days if it has no records. */
  of(scope: ScopeId): ScopeDays {
    return this.#scopes.get(`${scope.kind}#${scope.id}`) ?? { ...scope, days: new Map() };
  }

  scopes(): ScopeDays[] {
    return [...this.#scopes.values()];
  }
}

export interface WindowDrift {
  window: string;
  what: 'spent' | 'held';
  counted: Money;
  recorded: Money;
}

export interface Coverage {
  /** Returns whether all records of these days were added up. Days that cannot have records need not be added up. */
  covers: (dates: readonly string[]) => boolean;
  /** Whether all records of the account were added up. */
  isWhole: boolean;
  /** Whether pending records were added up as well. */
  includesHolds: boolean;
  /** The current day; undefined if nothing changed during the check. */
  openDay: string | undefined;
}

/**
 * Compares the windows of a counter whose days were all added up.
 *
 * Guarantee: requests during the check cause no false difference. A settlement changes all windows of an item in one
 * write, so the amount of the current day can be subtracted from every window that includes the day.
 * @param before proved spending of the scope before the added days, so that its lifetime window can be compared
 * @returns the windows that differ from the records, and the number of compared windows
 */
export function driftOf(
  { days }: Pick<ScopeDays, 'days'>,
  counter: StoredCounter,
  { covers, isWhole, includesHolds, openDay }: Coverage,
  before?: SpentBefore,
): { drift: WindowDrift[]; compared: number } {
  const isOver = (date: string) => date !== openDay;
  const openWindow = openDay === undefined ? undefined : `day_${openDay}`;
  const open = openWindow === undefined ? noAmounts : amountsIn(counter, openWindow);
  const comparable = counter.windows().filter((window) => {
    const dates = daysOfNamedWindow(window)?.filter(isOver);
    return window !== openWindow && (dates ? covers(dates) : isWhole || before !== undefined);
  });
  const drift = comparable.flatMap((window): WindowDrift[] => {
    const named = daysOfNamedWindow(window);
    const inside = named ?? [...days.keys()].filter((date) => before === undefined || date > before.through);
    const proved = named === null && before ? [before.spent] : [];
    const takenOut = openDay !== undefined && (window === 'lifetime' || inside.includes(openDay)) ? open : noAmounts;
    const counted = amountsIn(counter, window);
    return (['spent', 'held'] as const).flatMap((what) => {
      if (what === 'held' && !includesHolds) return [];
      const ofDays = inside.filter(isOver).flatMap((date) => days.get(date)?.[what] ?? []);
      const recorded = Money.sum([...ofDays, ...(what === 'spent' ? proved : [])]);
      const closed = counted[what].minus(takenOut[what]);
      return closed.equals(recorded) ? [] : [{ window, what, counted: closed, recorded }];
    });
  });
  return { drift, compared: comparable.length };
}

const noAmounts: DayOfScope = { spent: Money.zero, held: Money.zero };

function amountsIn(counter: StoredCounter, window: string): DayOfScope {
  const spent = counter.spent(window);
  return { spent, held: counter.committed(window).minus(spent) };
}
