/**
 * Compares the lifetime spending in counters without reading all records. The expected lifetime spending of a scope is
 * its proved spending up to the end of a month, plus its daily rows since then. Spending is proved if the sums of daily
 * rows or records were compared with the counters.
 *
 * A month is proved about three weeks after its end. Entries that are added to a proved month later show up as
 * differences, until an operator runs `reconcile --deep --prove`.
 * Weakness: an old account may have no proved spending until this command has run.
 */

import { Money } from '../money/money.ts';
import { DAY_MS, datesBetween, utcDate } from '../money/periods.ts';
import type { Account } from '../store/accounts/accounts.ts';
import type { ScopeId } from '../store/counters/counters.ts';
import { isTagKind } from '../store/counters/tag-scopes.ts';
import {
  readProvedAccount,
  scopeName,
  writeProvedAccount,
  type ProvedSpending,
  type SpentBefore,
} from '../store/counters/proved-spending.ts';
import type { Table } from '../store/table/table.ts';
import type { ScopeDays } from './scope-sums.ts';

/** Day of the following month from which a month can be proved. */
const PROVED_FROM_DAY = 21;
/** Maximum age in days of an account that is automatically proved from its first day. */
const MAX_FIRST_DAYS = 92;

export interface LifetimeChain {
  through: string;
  spentBefore: (scope: ScopeId) => SpentBefore;
}

/**
 * Reads the proved spending of an account.
 * @param date the day up to which the books are compared
 * @returns undefined if the account has none and is older than MAX_FIRST_DAYS; a younger account begins with zero
 *   before its first day
 */
export async function readLifetimeChain(
  table: Table,
  account: Account,
  date: string,
): Promise<LifetimeChain | undefined> {
  const proved = await readProvedAccount(table, account.id);
  const firstDate = utcDate(Date.parse(account.createdAt));
  if (!proved && datesBetween(firstDate, date).length > MAX_FIRST_DAYS) return undefined;
  const through = proved?.through ?? dateBefore(firstDate);
  const scopes = new Map(proved?.scopes.map((scope) => [scopeName(scope), scope]));
  return { through, spentBefore: (scope) => scopes.get(scopeName(scope)) ?? { through, spent: Money.zero } };
}

/**
 * Returns the UTC days to compare, up to `date`. The first day is the start of the month or, if earlier, the day after
 * the proved spending.
 */
export function datesSince(chain: LifetimeChain | undefined, date: string): string[] {
  const firstOfMonth = `${date.slice(0, 'YYYY-MM'.length)}-01`;
  const afterChain = chain ? dateAfter(chain.through) : firstOfMonth;
  return datesBetween(afterChain < firstOfMonth ? afterChain : firstOfMonth, date);
}

/**
 * Extends the proved spending by all months that can be proved now.
 * @param scopes sums of all days since the last proved month
 */
export async function continueChain(
  table: Table,
  account: Account,
  { chain, scopes, date }: { chain: LifetimeChain; scopes: readonly ScopeDays[]; date: string },
): Promise<void> {
  const through = provableThrough(date);
  if (chain.through >= through) return;
  await writeProvedAccount(table, account.id, { through, scopes: provedUpTo(through, scopes, chain.spentBefore) });
}

/**
 * Replaces the proved spending of an account with the sums of its records up to the last month that can be proved.
 * @param scopes sums of all days of the account
 */
export async function beginChain(
  table: Table,
  account: Account,
  { scopes, date }: { scopes: readonly ScopeDays[]; date: string },
): Promise<void> {
  const through = provableThrough(date);
  const before = { through: '', spent: Money.zero };
  await writeProvedAccount(table, account.id, { through, scopes: provedUpTo(through, scopes, () => before) });
}

function provedUpTo(
  through: string,
  scopes: readonly ScopeDays[],
  spentBefore: LifetimeChain['spentBefore'],
): ProvedSpending[] {
  return scopes.flatMap(({ kind, id, days }) => {
    // Tags have no daily rows from which their spending could be proved.
    if (isTagKind(kind)) return [];
    const before = spentBefore({ kind, id });
    const since = [...days].filter(([day]) => before.through < day && day <= through);
    return { kind, id, through, spent: Money.sum([before.spent, ...since.map(([, { spent }]) => spent)]) };
  });
}

/** Returns the last day of the latest month that can be proved. */
function provableThrough(date: string): string {
  const firstOfMonth = `${date.slice(0, 'YYYY-MM'.length)}-01`;
  const lastOfMonthBefore = dateBefore(firstOfMonth);
  if (Number(date.slice('YYYY-MM-'.length)) >= PROVED_FROM_DAY) return lastOfMonthBefore;
  return dateBefore(`${lastOfMonthBefore.slice(0, 'YYYY-MM'.length)}-01`);
}

function dateBefore(date: string): string {
  return utcDate(Date.parse(date) - DAY_MS);
}

function dateAfter(date: string): string {
  return utcDate(Date.parse(date) + DAY_MS);
}
