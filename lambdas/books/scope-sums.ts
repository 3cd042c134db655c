import { Money } from '../money/money.ts';
import { daysOfNamedWindow, utcDate } from '../money/periods.ts';
import type { ScopeId, StoredCounter } from '../store/counters/counters.ts';
import type { SpentBefore } from '../store/counters/proved-spending.ts';
import type { Generation } from '../store/generations/generation.ts';
import { scopesOf } from '../store/accounts/payer.ts';

/** Sums of one scope's records on one UTC day. */
interface DayOfScope {
  /** Cost of the final generations. */
  spent: Money;
  /** Money that is held for pending generations. */
  held: Money;
}

/** Sums of one scope's records, by UTC day. */
export interface ScopeDays extends ScopeId {
  days: Map<string, DayOfScope>;
}

/** Adds up records by the scopes (key, workspace, member, account, tag) whose counters contain their money. */
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

/** A counter window whose amount differs from the records of its days. */
export interface WindowDrift {
  window: string;
  what: 'spent' | 'held';
  counted: Money;
  recorded: Money;
}

export interface Coverage {
  /**
   * Returns whether all records of a UTC day were added up. Also true for days that cannot have records, such as future
   * days.
   */
  covers: (date: string) => boolean;
  /** Whether all records of the account were added up. */
  isWhole: boolean;
  /** Whether pending records were added up as well. */
  includesHolds: boolean;
  /** The current day, if it cannot be compared because something changed during the check; otherwise undefined. */
  openDay: string | undefined;
}

/**
 * Compares the windows of a counter whose days were all added up.
 *
 * Guarantee: requests during the check cause no false difference. Each settlement changes all windows of one item (the
 * counter or a part of it) in one write. The amount of the current day can therefore be subtracted from every window
 * that includes the day. The remainder belongs to completed days.
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
  const comparable = counter
    .windows()
    .filter(
      (window) =>
        window !== openWindow &&
        (daysOfNamedWindow(window)?.filter(isOver).every(covers) ?? (isWhole || before !== undefined)),
    );
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
