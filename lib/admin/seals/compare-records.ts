/** Compares sealed lines with the current records. */

import { join } from 'node:path';
import { isActivity, type FinalGeneration } from '../../../lambdas/accounting/daily-sums.ts';
import { sealFiles } from '../../../lambdas/books/seals/seal-statement.ts';
import { chargeLines, openLine, paymentLine } from '../../../lambdas/books/seals/sealed-line.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { datesBetween, utcDate } from '../../../lambdas/money/periods.ts';
import { readDays } from '../../../lambdas/store/days/activity.ts';
import { listBalanceEntries, readAccount, type BalanceEntry } from '../../../lambdas/store/accounts/accounts.ts';
import { readDayProgress } from '../../../lambdas/store/days/day-progress.ts';
import { readCorrection } from '../../../lambdas/store/generations/corrections.ts';
import { generationsInOrder, readGeneration } from '../../../lambdas/store/generations/generation-queries.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';
import { lateSealsOf, readSealHead, sealedDays, type SealedDay } from '../../../lambdas/store/days/seals.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { isDay } from '../../shared/iso-time.ts';
import type { CheckedDay, SealFinding } from './check-files.ts';
import { compareCopy, compareHead } from './compare-copies.ts';
import type { ReportFinding } from './findings.ts';
import { isPaymentKind, SealedLineReader, type SealedLine } from './sealed-lines.ts';

interface ComparedAccount {
  table: Table;
  directory: string;
  account: string;
}

/**
 * Compares all sealed days of an account with the records in the table.
 * @param days in order
 */
export async function compareAccount(
  compared: ComparedAccount,
  days: readonly CheckedDay[],
  found: (finding: SealFinding) => void,
): Promise<void> {
  const { table, account } = compared;
  const files = new Map(days.map((day) => [day.statement.date, day]));
  const copies = new Map<string, SealedDay>();
  for await (const copy of sealedDays(table, account, ALL_DATES)) copies.set(copy.date, copy);
  const payments = await listBalanceEntries(table, account);
  const reporterOf =
    (date: string): ReportFinding =>
    (where, says) =>
      found({ account, date, where, says });
  const through = await compareProgress(table, { account, last: days.at(-1), reporterOf });
  const known = [...files.keys(), ...copies.keys()];
  for (const date of await datesToCompare(compared, { known, payments, through })) {
    const [day, copy, report] = [files.get(date), copies.get(date), reporterOf(date)];
    if (day) await compareCopy(compared, { day, copy }, report);
    else if (copy) report('statement.json', 'is missing, although the day is sealed in the table');
    if (day?.isReadable ?? !copy) await compareDay(compared, { date, day, payments }, report);
  }
  for (const { date } of copies.values()) {
    if (date > through)
      reporterOf(date)('sealed_day', `is in the table, although the account is only sealed up to ${through}`);
  }
}

const ALL_DATES = { from: '', to: '\uffff' };

/**
 * Compares the table's seal progress of an account with its files.
 * @returns the day up to which the account is sealed; if the table has no plausible value, the day of the last file, or
 *   '' without files
 */
async function compareProgress(
  table: Table,
  {
    account,
    last,
    reporterOf,
  }: { account: string; last: CheckedDay | undefined; reporterOf: (date: string) => ReportFinding },
): Promise<string> {
  const head = await readSealHead(table, account);
  const sealed = last?.statement.date ?? '';
  if (!head) {
    if (last) reporterOf(sealed)('seal_head', 'is missing in the table');
    return sealed;
  }
  const { date = '', through } = head;
  const report = reporterOf(last ? sealed : through);
  // A date after the last file, up to `through`, is not reported here: the comparison of its item reports the files.
  if (date === sealed) compareHead(head, last, report);
  else if (date < sealed || date > through)
    report('seal_head.date', `is ${date || 'missing'}, but the files end with another day`);
  const { through: done = '', current } = await readDayProgress(table, 'SEALED');
  const isPossible = isDay(through) && through >= sealed && (through <= done || through <= (current?.through ?? ''));
  if (isPossible) return through;
  report('seal_head.through', `is ${through}, but days were not sealed up to there`);
  return sealed;
}

const DATE_CHARS = 10;

/** Returns the days from the account's creation, or from an earlier day with data, to the last sealed day. */
async function datesToCompare(
  { table, account }: ComparedAccount,
  { known, payments, through }: { known: readonly string[]; payments: readonly BalanceEntry[]; through: string },
): Promise<string[]> {
  if (through === '') return [];
  const { createdAt } = (await readAccount(table, account)) ?? {};
  const [rolledUp] = await readDays(table, account, utcDate(0), through);
  const dates = [...known, ...payments.map(dateOfPayment), rolledUp?.date, createdAt?.slice(0, DATE_CHARS)];
  const [first] = dates.filter((date) => date !== undefined && isDay(date) && date <= through).toSorted();
  return first === undefined ? [] : datesBetween(first, through);
}

function dateOfPayment({ createdAt }: BalanceEntry): string {
  return createdAt.slice(0, DATE_CHARS);
}

interface LineGroup {
  /** Number of the first line, from 1. */
  number: number;
  lines: SealedLine[];
}

/** @param day undefined for a day without a statement, for which no charge or payment may exist */
async function compareDay(
  { table, directory, account }: ComparedAccount,
  { date, day, payments }: { date: string; day: CheckedDay | undefined; payments: readonly BalanceEntry[] },
  report: ReportFinding,
): Promise<void> {
  const known = new Map(payments.map((entry) => [entry.id, entry]));
  const records = new RecordsInOrder(generationsInOrder(table, account, date), ({ id }) =>
    report(id, 'has a record with a charge, but no line on its day'),
  );
  const path = day && join(directory, sealFiles(account, date).lines(day.statement.lines.file));
  for await (const group of path === undefined ? [] : groupsIn(path)) {
    const [{ kind, id, width }] = group.lines as [SealedLine];
    if (isPaymentKind(kind)) {
      const entry = known.get(id);
      known.delete(id);
      compareGroup(group, entry ? [paymentLine(entry, width)] : [], report);
      continue;
    }
    const isOwn = kind === 'charge' || kind === 'open';
    const generation = isOwn ? await records.of(id) : await readGeneration(table, account, id);
    compareGroup(group, await expectedLines(table, group, generation), report);
    if (isOwn || (await lateSealsOf(table, account, id)).includes(date)) continue;
    report(sealedLineName(group), 'is missing from the late seals of its generation in the table');
  }
  await records.end();
  for (const entry of known.values()) {
    if (dateOfPayment(entry) === date) report(entry.id, 'was booked on that day, but has no line');
  }
}

class RecordsInOrder {
  readonly #records: AsyncGenerator<Generation, void>;
  readonly #passed: (generation: Generation) => void;
  #next: Generation | undefined;

  /** @param passed called for each record that `of` skipped, but that should have a sealed line (`isActivity`) */
  constructor(records: AsyncGenerator<Generation, void>, passed: (generation: Generation) => void) {
    this.#records = records;
    this.#passed = passed;
  }

  async of(id: string): Promise<Generation | undefined> {
    for (;;) {
      this.#next ??= (await this.#records.next()).value ?? undefined;
      if (this.#next === undefined || this.#next.id > id) return undefined;
      const generation = this.#next;
      this.#next = undefined;
      if (generation.id === id) return generation;
      if (isActivity(generation)) this.#passed(generation);
    }
  }

  async end(): Promise<void> {
    if (this.#next && isActivity(this.#next)) this.#passed(this.#next);
    for await (const generation of this.#records) if (isActivity(generation)) this.#passed(generation);
  }
}

/** Returns the lines that should be sealed for a generation in place of `lines`; empty if there should be none. */
async function expectedLines(
  table: Table,
  { lines }: LineGroup,
  generation: Generation | undefined,
): Promise<string[]> {
  const [first] = lines as [SealedLine];
  if (!generation) return [];
  if (first.kind === 'open') return [openLine(generation, first.width)];
  const { outcome, state, correction } = generation;
  if (state !== 'final' || !outcome) return [];
  const isEstimate = first.kind !== 'corrected' && first.correction.isZero;
  const final = { ...generation, outcome };
  if (correction === undefined || !isEstimate) return chargeLines(final, first.kind, first.width);
  return estimatedLines(table, final, lines);
}

/**
 * Returns the lines of a generation before its correction, reconstructed from the audit entry of the correction.
 *
 * Weakness: the time of the estimate is only in the sealed line, and if the correction also changed prices, only the
 * sums are compared.
 */
async function estimatedLines(
  table: Table,
  generation: FinalGeneration,
  lines: readonly SealedLine[],
): Promise<string[]> {
  const corrected = await readCorrection(table, generation.payer.accountId, generation.id);
  if (!corrected) return [];
  const { before, after } = corrected;
  const [first] = lines as [SealedLine];
  const arePricesKnown = before.pricing !== undefined || after.pricing === undefined;
  const sealed = Money.sum(lines.map(({ total }) => total));
  if (!arePricesKnown && sealed.equals(before.cost)) return lines.map(({ text }) => text);
  const estimate: FinalGeneration = {
    ...generation,
    outcome: { ...before, pricing: before.pricing ?? generation.outcome.pricing },
    correction: undefined,
    swept: true,
    settledAtMs: Date.parse(first.settledAt),
  };
  return chargeLines(estimate, first.kind, first.width);
}

function compareGroup(group: LineGroup, expected: readonly string[], report: ReportFinding): void {
  if (expected.length === 0) return report(sealedLineName(group), 'is sealed, but its record is missing');
  const differing = group.lines.findIndex(({ text }, at) => text !== expected[at]);
  if (differing === -1 && group.lines.length === expected.length) return;
  const at = Math.max(differing, 0);
  report(
    sealedLineName(group, at),
    `was sealed as\n    ${group.lines[at]?.text ?? 'nothing'}\n  but its record is now\n    ${expected[at] ?? 'nothing'}`,
  );
}

function sealedLineName({ number, lines }: LineGroup, at = 0): string {
  return `line ${number + at}, ${lines[0]!.id}`;
}

async function* groupsIn(path: string): AsyncGenerator<LineGroup, void> {
  let group: LineGroup | undefined;
  let number = 0;
  for await (const line of new SealedLineReader(path).lines()) {
    number += 1;
    const [first] = group?.lines ?? [];
    if (group && first?.id === line.id && first.kind === line.kind) {
      group.lines.push(line);
      continue;
    }
    if (group) yield group;
    group = { number, lines: [line] };
  }
  if (group) yield group;
}
