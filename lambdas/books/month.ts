import { isComplete, type ActivityRow, type ActivitySplit } from '../accounting/activity.ts';
import { addDailySums, noDailySums, type DailySums } from '../accounting/daily-sums.ts';
import { readDays } from '../store/days/activity.ts';
import { readCounter } from '../store/counters/counters.ts';
import { sealedDays, type SealedDay } from '../store/days/seals.ts';
import type { Account, BalanceEntry } from '../store/accounts/accounts.ts';
import { Money } from '../money/money.ts';
import { utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import type { Table } from '../store/table/table.ts';
import { tagsJson, type RequestTags } from '../store/generations/request-tags.ts';
import type { Names } from './names.ts';
import { daysOfMonth, periodOf } from './period.ts';
import { readTaggedActivity } from './tagged-activity.ts';
import { balanceOf, paymentsIn, type Balance } from './statement.ts';

export interface MonthRow extends DailySums {
  model: string;
  workspaceId: string | undefined;
  keyHash: string | undefined;
  memberId: string | undefined;
  tags: RequestTags | undefined;
}

export interface Month {
  from: string;
  to: string;
  closedDays: number;
  /** Whether all days of the month since the account's creation are closed. */
  isClosed: boolean;
  rows: MonthRow[];
  total: DailySums;
  /**
   * Spending of the month according to the account's counter; undefined if the month is not closed, or the counter no
   * longer has it.
   */
  counted: Money | undefined;
  payments: BalanceEntry[];
  balance: Balance | undefined;
  sealed: SealedDay[];
}

export async function readMonth(
  table: Table,
  account: Account,
  { month, splitBy, names }: { month: string; splitBy: readonly ActivitySplit[]; names: Names },
): Promise<Month> {
  const { from, to } = daysOfMonth(month);
  const period = periodOf({ from, to });
  const today = utcDate(nowMs());
  const days = (await readDays(table, account.id, from, to)).filter((day) => isComplete(day) && day.date < today);
  const dates = days.map(({ date }) => date);
  const daily =
    dates.length === 0 ? [] : await readTaggedActivity({ table, accountId: account.id }, dates, { splitBy }, names);
  const total = { ...noDailySums };
  for (const row of daily) addDailySums(total, row);
  const wanted = period.days.filter(({ date }) => date >= utcDate(Date.parse(account.createdAt)));
  const isClosed = to < today && wanted.every(({ date }) => dates.includes(date));
  const counter = isClosed ? await readCounter(table, { kind: 'account', id: account.id }) : undefined;
  const window = `month_${month}`;
  return {
    from,
    to,
    closedDays: dates.length,
    isClosed,
    rows: rowsOf(daily),
    total,
    counted: counter?.windows().includes(window) ? counter.spent(window) : undefined,
    payments: await paymentsIn(table, account, period),
    balance: account.mode === 'prepaid' ? await balanceOf(table, account, period, total.usage) : undefined,
    sealed: await Array.fromAsync(sealedDays(table, account.id, { from, to })),
  };
}

function rowsOf(daily: readonly ActivityRow[]): MonthRow[] {
  const rows = new Map<string, MonthRow>();
  for (const { model, workspaceId, keyHash, memberId, tags, ...sums } of daily) {
    const name = [model, workspaceId, keyHash, memberId, tags && tagsJson(tags)].join('\n');
    const row = rows.get(name) ?? { model, workspaceId, keyHash, memberId, tags, ...noDailySums };
    addDailySums(row, sums);
    rows.set(name, row);
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
