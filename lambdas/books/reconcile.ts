/**
 * Checks whether all parts of the table agree about an account's money. With `isDeep`, every record is read, and the
 * prices are computed again. The sums are compared with the counters and the daily rows. Otherwise the spending in the
 * daily rows of closed days is compared with the counters. A prepaid account's payments are compared with its limit.
 *
 * Guarantee: requests during the check cause no false alarm. The current day is compared only if nothing changes during
 * the check. Differences are checked again, and reported only if they are found twice in the same form.
 * Weakness: counters drop the windows of days, weeks and months two days after their end, so later changes of these
 * windows are not noticed.
 */

import { append } from '../platform/append.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { isComplete } from '../accounting/activity.ts';
import { isActivity } from '../accounting/daily-sums.ts';
import { DayRows } from '../accounting/day-rows.ts';
import { Money } from '../money/money.ts';
import { utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { dailyRows, namedDailyRows, readDays, type Day } from '../store/days/activity.ts';
import { listBalanceEntries, readAccount, type Account } from '../store/accounts/accounts.ts';
import { readCounter, readCounters, type ScopeId, type StoredCounter } from '../store/counters/counters.ts';
import { shardOf } from '../store/generations/generation-key.ts';
import { generationsInOrder } from '../store/generations/generation-queries.ts';
import type { Generation } from '../store/generations/generation.ts';
import { leasedScopes, openLeases, type Lease } from '../store/counters/leases.ts';
import type { SpentBefore } from '../store/counters/proved-spending.ts';
import { memberScope } from '../store/accounts/payer.ts';
import type { Table } from '../store/table/table.ts';
import { linesOf, provesItsPrice } from '../accounting/generation-lines.ts';
import { comparedModelDays, ModelDaySums, type ComparedModelDay } from './model-days.ts';
import { differencesOfRows, isCurrent } from './row-differences.ts';
import { driftOf, ScopeSums, type ScopeDays, type WindowDrift } from './scope-sums.ts';

export interface BookFinding {
  /**
   * Parts that were compared. `record`: a record's price with its fields; `day`: daily rows with records; `counter`:
   * counters with records or rows; `model`: spending by model with records or rows; `payments`: the limit with
   * payments; `budget`: the budget of a free model with records.
   */
  kind: 'record' | 'day' | 'counter' | 'model' | 'payments' | 'budget';
  /** Name of the differing part. */
  where: string;
  /** Stored value: an amount in RUB, or the value of a row's attribute. */
  says: string;
  /** Value that `says` should have. */
  expected: string;
}

export type CounterDrift = ScopeId & WindowDrift;

export interface Reconciliation {
  findings: BookFinding[];
  drifts: CounterDrift[];
  compared: { records: number; days: number; windows: number; payments: number };
  /** Sums of every scope that has records or rows on the compared days. */
  scopes: ScopeDays[];
  /** Whether every completed day was added up. */
  isCovered: boolean;
}

export interface ReconcileQuestion {
  account: Account;
  /**
   * UTC days to compare, in ascending order. The current day is skipped without `isDeep`, or if anything changes during
   * the check.
   */
  dates: readonly string[];
  isDeep: boolean;
  /** Whether `dates` are all days of the account, so that lifetime windows can be compared. */
  isWhole: boolean;
  /** Returns the proved spending of a scope, with which its lifetime window can be compared. */
  spentBefore?: ((scope: ScopeId) => SpentBefore) | undefined;
  /** Pause in ms before differences are checked again. */
  pauseMs?: number;
  progress?: ((date: string) => void) | undefined;
}

const PAUSE_MS = 3_000;
const MAX_ATTEMPTS = 4;
const MAX_FINDINGS = 1_000;

export async function reconcile(table: Table, question: ReconcileQuestion): Promise<Reconciliation> {
  let before = new Set<string>();
  for (let attempt = 1; ; attempt += 1) {
    const result = await compareOnce(table, question);
    const names = result.findings.map((finding) => JSON.stringify(finding));
    const findings = result.findings.filter((_, index) => before.has(names[index]!));
    const drifts = result.drifts.filter((drift) => before.has(JSON.stringify(findingOf(drift))));
    if (findings.length === names.length || attempt === MAX_ATTEMPTS) return { ...result, findings, drifts };
    before = new Set(names);
    await sleep(question.pauseMs ?? PAUSE_MS);
  }
}

async function compareOnce(table: Table, question: ReconcileQuestion): Promise<Reconciliation> {
  const { account, dates, isDeep } = question;
  const today = utcDate(nowMs());
  const scope: ScopeId = { kind: 'account', id: account.id };
  const before = await readCounter(table, scope);
  const days = dates.length === 0 ? [] : await readDays(table, account.id, dates[0]!, dates.at(-1)!);
  const closed = new Map(days.filter(isComplete).map((day) => [day.date, day]));
  const sums = { sums: new ScopeSums(), models: new ModelDaySums() };
  const leases = isDeep ? await leasesOf(table, question) : [];
  const drawn = new Map(leases.map(({ id }) => [id, Money.zero]));
  const read: DaysRead = { ...sums, drawn, findings: [], records: 0, days: 0, covered: new Set<string>() };
  for (const date of dates) {
    if (isDeep) await readRecords(table, account, date, { read, day: closed.get(date) });
    else if (closed.has(date)) await addRows(table, account, closed.get(date)!, read);
    question.progress?.(date);
  }
  addLeases(leases, read);
  const counters = await readCountersOf(table, read.sums.scopes());
  const covered = dates.filter((date) => read.covered.has(date));
  const modelDays = await comparedModelDays(table, account.id, { sums: read.models, dates: covered });
  // The counter and the leases are read again after the records and counters, to notice a change during these reads.
  const isStill =
    isDeep &&
    isUnchanged(before, await readCounter(table, scope)) &&
    isSameSet(leases, await leasesOf(table, question));
  const covers = (date: string) =>
    date > today || date < account.createdAt.slice(0, today.length) || read.covered.has(date);
  const isCovered = dates.every((date) => date === today || covers(date));
  const { drifts, windows } = compareCounters(counters, isCovered ? question.spentBefore : undefined, {
    covers: (days) => days.every(covers),
    isWhole: question.isWhole,
    includesHolds: isDeep,
    openDay: isStill ? undefined : today,
  });
  const stillModelDays = modelDays.filter(({ date }) => date < today || isStill);
  const ofPayments = await comparePayments(table, account);
  const all = [
    ...read.findings,
    ...drifts.map(findingOf),
    ...findingsOfModels(stillModelDays),
    ...ofPayments.findings,
  ].slice(0, MAX_FINDINGS);
  return {
    findings: all,
    drifts,
    compared: {
      records: read.records,
      days: read.days,
      windows: windows + stillModelDays.length,
      payments: ofPayments.compared,
    },
    scopes: read.sums.scopes(),
    isCovered,
  };
}

/** Returns whether the account's counter is unchanged. If it is, no cost was settled between the two reads. */
function isUnchanged(before: StoredCounter, after: StoredCounter): boolean {
  return (
    before.spent('lifetime').equals(after.spent('lifetime')) &&
    before.committed('lifetime').equals(after.committed('lifetime'))
  );
}

/**
 * Returns whether the same leases are open before and after the other reads. A lease may hold money only in scopes
 * other than the account, so the account's counter does not show it.
 */
function isSameSet(before: Lease[], after: Lease[]): boolean {
  const ids = new Set(before.map(({ id }) => id));
  return after.length === ids.size && after.every(({ id }) => ids.has(id));
}

function found({ findings }: DaysRead, finding: BookFinding): void {
  if (findings.length < MAX_FINDINGS) findings.push(finding);
}

interface DaysRead {
  sums: ScopeSums;
  models: ModelDaySums;
  /** Amounts that records have drawn from leases that were open before the records were read. */
  drawn: Map<string, Money>;
  findings: BookFinding[];
  records: number;
  days: number;
  covered: Set<string>;
}

/**
 * Adds up the records of a day, and checks their prices. If the day is closed, also compares its rows with the records.
 */
async function readRecords(
  table: Table,
  { id: accountId }: Account,
  date: string,
  { read, day }: { read: DaysRead; day: Day | undefined },
): Promise<void> {
  const rows = new DayRows();
  for await (const generation of generationsInOrder(table, accountId, date)) {
    read.records += 1;
    read.sums.add(generation);
    read.models.add(generation);
    noteDrawn(read, generation);
    if (generation.state !== 'final' || !generation.outcome) continue;
    const final = { ...generation, outcome: generation.outcome };
    const lines = linesOf(final);
    if (!provesItsPrice(final, lines)) {
      const expected = Money.sum(lines.map(({ cost }) => cost)).toString();
      found(read, { kind: 'record', where: final.id, says: final.outcome.cost.toString(), expected });
    }
    if (!day || !isActivity(final)) continue;
    const shard = shardOf(final.id);
    rows.add(final, { shard, version: day.versions[shard]!, splitBy: day.splitBy[shard]! });
  }
  read.covered.add(date);
  if (!day) return;
  read.days += 1;
  const differences = differencesOfRows(namedDailyRows(table, accountId, date), { day, expected: rows.byName() });
  for await (const { name, field, says, expected } of differences) {
    found(read, { kind: 'day', where: `${date} ${name} ${field}`, says, expected });
  }
}

async function leasesOf(table: Table, { account, dates }: ReconcileQuestion): Promise<Lease[]> {
  const isCompared = ({ payer, createdAtMs }: Lease) =>
    payer.accountId === account.id && dates.includes(utcDate(createdAtMs));
  return (await Array.fromAsync(openLeases(table))).filter(isCompared);
}

function noteDrawn({ drawn }: DaysRead, { lease }: Generation): void {
  const before = lease && drawn.get(lease.id);
  if (before) drawn.set(lease.id, before.plus(lease.amount));
}

/**
 * Adds undrawn parts of open leases, so that a record written after its day was read does not change the held total.
 */
function addLeases(leases: Lease[], { sums, drawn }: DaysRead): void {
  for (const lease of leases) {
    const held = lease.amount.minus(drawn.get(lease.id)!);
    const date = utcDate(lease.createdAtMs);
    for (const scope of leasedScopes(lease)) sums.addTo(scope, date, { spent: Money.zero, held });
  }
}

async function addRows(table: Table, { id }: Account, day: Day, read: DaysRead): Promise<void> {
  for await (const { level, workspaceId, keyHash, memberId, model, usage: spent, ...row } of dailyRows(
    table,
    id,
    day.date,
  )) {
    if (!isCurrent(row, day)) continue;
    const more = { spent, held: Money.zero };
    if (level === 'WORKSPACE') {
      read.sums.addTo({ kind: 'workspace', id: workspaceId }, day.date, more);
      read.sums.addTo({ kind: 'account', id }, day.date, more);
      read.models.addTo({ model, date: day.date, spent });
    } else if (level === 'KEY') read.sums.addTo({ kind: 'key', id: keyHash! }, day.date, more);
    else read.sums.addTo(memberScope(workspaceId, memberId!), day.date, more);
  }
  read.days += 1;
  read.covered.add(day.date);
}

async function readCountersOf(table: Table, scopes: ScopeDays[]): Promise<(readonly [ScopeDays, StoredCounter])[]> {
  const found: (readonly [ScopeDays, StoredCounter])[] = [];
  for (const [kind, ofKind] of Map.groupBy(scopes, (scope) => scope.kind)) {
    const counterOf = await readCounters(
      table,
      kind,
      ofKind.map(({ id }) => id),
    );
    for (const scope of ofKind) found.push([scope, counterOf(scope.id)]);
  }
  return found;
}

function compareCounters(
  counters: (readonly [ScopeDays, StoredCounter])[],
  spentBefore: ReconcileQuestion['spentBefore'],
  coverage: Parameters<typeof driftOf>[2],
): { drifts: CounterDrift[]; windows: number } {
  const drifts: CounterDrift[] = [];
  let windows = 0;
  for (const [scope, counter] of counters) {
    const { kind, id } = scope;
    const { drift, compared } = driftOf(scope, counter, coverage, spentBefore?.(scope));
    windows += compared;
    append(
      drifts,
      drift.map((one) => ({ kind, id, ...one })),
    );
  }
  return { drifts, windows };
}

function findingOf({ kind, id, window, what, counted, recorded }: CounterDrift): BookFinding {
  return {
    kind: 'counter',
    where: `${kind} ${id} ${window} ${what}`,
    says: counted.toString(),
    expected: recorded.toString(),
  };
}

function findingsOfModels(days: readonly ComparedModelDay[]): BookFinding[] {
  return days
    .filter(({ spent, recorded }) => !spent.equals(recorded))
    .map(({ model, date, spent, recorded }) => {
      return { kind: 'model', where: `model ${model} day_${date}`, says: String(spent), expected: String(recorded) };
    });
}

async function comparePayments(
  table: Table,
  { id, mode }: Account,
): Promise<{ findings: BookFinding[]; compared: number }> {
  if (mode !== 'prepaid') return { findings: [], compared: 0 };
  const entries = await listBalanceEntries(table, id);
  const paid = Money.sum(entries.map(({ amount }) => amount));
  const [account, counter] = await Promise.all([readAccount(table, id), readCounter(table, { kind: 'account', id })]);
  const stated = [
    { where: `account ${id} limit`, limit: account?.limits.lifetime ?? Money.zero },
    { where: `account ${id} limit of its counter`, limit: counter.limits.lifetime ?? Money.zero },
  ];
  const findings = stated
    .filter(({ limit }) => !limit.equals(paid))
    .map(({ where, limit }): BookFinding => ({ kind: 'payments', where, says: String(limit), expected: String(paid) }));
  return { findings, compared: entries.length };
}
