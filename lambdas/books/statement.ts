/**
 * Creates a statement: an account's spending in a period, split as requested, with proofs of its total.
 *
 * The amounts come from the records, by the day of admission. The total is computed again from the units and prices of
 * each line. Without a filter, the spending is also compared with the daily rows, and with the account's counters if
 * they still have windows of the period.
 */

import { readActivity, isComplete } from '../accounting/activity.ts';
import { isActivity, type DailySums, type FinalGeneration } from '../accounting/daily-sums.ts';
import { Money } from '../money/money.ts';
import { DAY_MS, datesBetween, utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { readDays } from '../store/days/activity.ts';
import {
  listBalanceEntries,
  type Account,
  type BalanceEntry,
  type BalanceEntryKind,
} from '../store/accounts/accounts.ts';
import { readCounter, type ScopeId } from '../store/counters/counters.ts';
import { generationsInOrder } from '../store/generations/generation-queries.ts';
import type { Table } from '../store/table/table.ts';
import { linesOf, provesItsPrice, type GenerationLine } from '../accounting/generation-lines.ts';
import { dayFinder, utcDaysOf, type Period } from './period.ts';
import { isFiltered, recordsOf, type RecordFilter } from './records.ts';
import { driftOf, ScopeSums } from './scope-sums.ts';
import { Names } from './names.ts';
import { rowsByTags, SpendingTable, type Dimension, type SpendingRow } from './spending.ts';

export interface StatementQuestion {
  account: Account;
  period: Period;
  by: readonly Dimension[];
  filter: RecordFilter;
  /** The filter as text, such as `key "Server"`. */
  only?: readonly string[];
}

/** `day` is in the period's time zone. */
export interface BookedGeneration {
  generation: FinalGeneration;
  day: string;
  lines: readonly GenerationLine[];
}

/** Result of a second computation of the statement's total. */
interface Proof {
  source: 'lines' | 'daily_rows' | 'counters';
  /** Whether both computations have the same result; undefined if nothing was compared. */
  agrees: boolean | undefined;
  says: string;
}

export interface Balance {
  opening: Money;
  paidIn: Money;
  refunded: Money;
  /** Sum of adjustments, which may be negative. */
  adjusted: Money;
  spent: Money;
  closing: Money;
}

export interface Statement {
  account: Account;
  period: Period;
  /** The filter as text; empty if the statement covers the whole account. */
  only: readonly string[];
  by: readonly Dimension[];
  rows: SpendingRow[];
  total: DailySums;
  /** Number of records that were read, including free ones. */
  records: number;
  /** Number of unsettled generations, and the sum of the amounts in their records. No other sum includes their cost. */
  pending: { generations: number; held: Money };
  /** Payments, refunds and adjustments in the period; empty for a filtered statement. */
  payments: BalanceEntry[];
  /** Balance at the start and end of the period; undefined for postpaid accounts, and for a filtered statement. */
  balance: Balance | undefined;
  proofs: Proof[];
}

/** `booked` is called for each charged or completed generation, in the order of ids; `progress` after each UTC day. */
export interface StatementReader {
  booked?: (booked: BookedGeneration) => Promise<void> | void;
  progress?: (date: string) => void;
}

const THE_FIRST_DATE = '0001-01-01';

/** Maximum number of records that a proof lists by id. */
const MAX_NAMED = 20;

export async function readStatement(
  table: Table,
  { account, period, by, filter, only = [] }: StatementQuestion,
  { booked, progress }: StatementReader = {},
): Promise<Statement> {
  const source = { table, accountId: account.id };
  const dayOf = dayFinder(period);
  const spending = new SpendingTable(by);
  const names = new Names(table, account.id);
  const sums = new ScopeSums();
  const pending = { generations: 0, held: Money.zero };
  const unproven: string[] = [];
  let [records, ofLines, unprovenCount] = [0, Money.zero, 0];
  for await (const generation of recordsOf(source, period, { filter, ...(progress ? { progress } : {}) })) {
    records += 1;
    sums.add(generation);
    if (generation.state === 'pending') {
      pending.generations += 1;
      pending.held = pending.held.plus(generation.hold.amount);
    }
    if (!isActivity(generation)) continue;
    const day = dayOf(generation.createdAtMs)!;
    const lines = linesOf(generation);
    spending.add(generation, day);
    ofLines = ofLines.plus(Money.sum(lines.map(({ cost }) => cost)));
    if (!provesItsPrice(generation, lines)) {
      unprovenCount += 1;
      if (unproven.length < MAX_NAMED) unproven.push(generation.id);
    }
    await booked?.({ generation, day, lines });
  }
  const isOfAll = !isFiltered(filter);
  return {
    account,
    period,
    only,
    by,
    rows: await rowsByTags(spending.rows(), by, async (hash) => (await names.key(hash)).tags),
    total: spending.total,
    records,
    pending,
    payments: isOfAll ? await paymentsIn(table, account, period) : [],
    balance:
      isOfAll && account.mode === 'prepaid' ? await balanceOf(table, account, period, spending.total.usage) : undefined,
    proofs: [
      proofOfLines({ ofLines, total: spending.total.usage, unproven, unprovenCount }),
      ...(isOfAll
        ? [await proofOfRows(table, account, period, sums), await proofOfCounters(table, account, period, sums)]
        : (['daily_rows', 'counters'] as const).map(notOfAPart)),
    ],
  };
}

/** Returns the proof of a filtered statement, whose spending cannot be compared with daily rows or counters. */
function notOfAPart(source: Proof['source']): Proof {
  return {
    source,
    agrees: undefined,
    says: 'not compared, because the filter selects a part of the account; use no filter, or reconcile --deep',
  };
}

/** Returns whether no proof contradicts the statement. */
export function isProven({ proofs }: Pick<Statement, 'proofs'>): boolean {
  return proofs.every(({ agrees }) => agrees !== false);
}

function proofOfLines(found: { ofLines: Money; total: Money; unproven: string[]; unprovenCount: number }): Proof {
  const agrees = found.unprovenCount === 0 && found.ofLines.equals(found.total);
  const named = found.unproven.join(' ');
  return {
    source: 'lines',
    agrees,
    says: agrees
      ? `units times prices of every line add up to ${found.ofLines} RUB`
      : `units times prices add up to ${found.ofLines} RUB and the records to ${found.total}; the price does not follow from ${found.unprovenCount} of them: ${named}`,
  };
}

async function proofOfRows(table: Table, account: Account, period: Period, sums: ScopeSums): Promise<Proof> {
  const { id } = account;
  const inside = wholeUtcDays(period);
  const days = inside.length === 0 ? [] : await readDays(table, id, inside[0]!, inside.at(-1)!);
  const closed = days.filter(isComplete).map(({ date }) => date);
  if (closed.length === 0) {
    return {
      source: 'daily_rows',
      agrees: undefined,
      says: 'no UTC day of the period has daily rows yet; a running gateway writes them a few minutes after midnight (UTC)',
    };
  }
  const rows = await readActivity(table, id, closed, {});
  const counted = Money.sum(rows.map(({ usage }) => usage));
  const { days: recordedDays } = sums.of(accountScope(account));
  const recorded = Money.sum(closed.flatMap((date) => recordedDays.get(date)?.spent ?? []));
  return {
    source: 'daily_rows',
    agrees: counted.equals(recorded),
    says: `the daily rows of ${closed.length} closed UTC days add up to ${counted} RUB and the records of these days to ${recorded}`,
  };
}

/**
 * Compares the windows that contain a day of the period, if all their other days are in the period or in the future.
 * Future days have no spending.
 */
async function proofOfCounters(table: Table, account: Account, period: Period, sums: ScopeSums): Promise<Proof> {
  const scope = accountScope(account);
  const counter = await readCounter(table, scope);
  const inside = new Set(wholeUtcDays(period));
  const today = utcDate(nowMs());
  const { drift, compared } = driftOf(sums.of(scope), counter, {
    covers: (dates) =>
      dates.some((date) => inside.has(date)) && dates.every((date) => date > today || inside.has(date)),
    isWhole: false,
    includesHolds: false,
    openDay: today,
  });
  if (compared === 0) {
    return {
      source: 'counters',
      agrees: undefined,
      says: 'not compared, because the counter has no window inside the period: it keeps days, weeks and months until two days after their end',
    };
  }
  const [first] = drift;
  return {
    source: 'counters',
    agrees: first === undefined,
    says: first
      ? `window ${first.window} of the counter has ${first.counted} RUB without today, and its records ${first.recorded}`
      : `the counter agrees with the records in ${compared} of its windows (without today)`,
  };
}

function accountScope({ id }: Account): ScopeId {
  return { kind: 'account', id };
}

function wholeUtcDays(period: Period): string[] {
  return utcDaysOf(period).filter(
    (date) => Date.parse(date) >= period.startMs && Date.parse(date) + DAY_MS <= period.endMs,
  );
}

/** Returns the payments, refunds and adjustments of a period, in the order of time. */
export async function paymentsIn(table: Table, { id }: Account, { startMs, endMs }: Period): Promise<BalanceEntry[]> {
  const entries = await listBalanceEntries(table, id);
  return entries.filter(({ createdAt }) => startMs <= Date.parse(createdAt) && Date.parse(createdAt) < endMs);
}

/**
 * Returns the balance of a prepaid account at the start and end of a period, and its changes.
 * @param spent spending in the period
 */
export async function balanceOf(table: Table, account: Account, period: Period, spent: Money): Promise<Balance> {
  const entries = await listBalanceEntries(table, account.id);
  const before = entries.filter(({ createdAt }) => Date.parse(createdAt) < period.startMs);
  const inside = await paymentsIn(table, account, period);
  const opening = sumOf(before).minus(await spentBefore(table, account, period.startMs));
  const of = (wanted: BalanceEntryKind) => sumOf(inside.filter(({ kind }) => kind === wanted));
  const [paidIn, refunded, adjusted] = [of('top_up'), of('refund').negated(), of('adjustment')];
  const closing = Money.sum([opening, paidIn, adjusted]).minus(refunded).minus(spent);
  return { opening, paidIn, refunded, adjusted, spent, closing };
}

function sumOf(entries: readonly BalanceEntry[]): Money {
  return Money.sum(entries.map(({ amount }) => amount));
}

/**
 * Returns the spending of an account before a point in time. Cost: at least one query for each day since the account's
 * creation.
 */
async function spentBefore(table: Table, { id, createdAt }: Account, instantMs: number): Promise<Money> {
  const lastDate = utcDate(instantMs - 1);
  const known = await readDays(table, id, THE_FIRST_DATE, lastDate);
  const closed = new Set(known.filter(isComplete).map(({ date }) => date));
  const [firstDate] = [utcDate(Date.parse(createdAt)), ...known.map(({ date }) => date)].toSorted() as [string];
  const dates = datesBetween(firstDate, lastDate);
  const fromRows = dates.filter((date) => closed.has(date) && Date.parse(date) + DAY_MS <= instantMs);
  const rows = fromRows.length === 0 ? [] : await readActivity(table, id, fromRows, {});
  let spent = Money.sum(rows.map(({ usage }) => usage));
  for (const date of dates.filter((day) => !fromRows.includes(day))) {
    for await (const { state, outcome, createdAtMs } of generationsInOrder(table, id, date)) {
      if (state === 'final' && createdAtMs < instantMs) spent = spent.plus(outcome!.cost);
    }
  }
  return spent;
}
