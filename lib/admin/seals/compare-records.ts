/** Compares sealed lines with the records that they were made of, as these are now. */

import { join } from 'node:path';
import * as z from 'zod';
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
import type { CheckedDay, SealFinding } from './check-files.ts';
import { compareCopy, compareHead } from './compare-copies.ts';
import type { TellFinding } from './findings.ts';
import { isPaymentKind, SealedLineReader, type SealedLine } from './sealed-lines.ts';

interface ComparedAccount {
  table: Table;
  directory: string;
  account: string;
}

/** @param days of the account, in order, as their files have them */
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
  const tellOf =
    (date: string): TellFinding =>
    (where, says) =>
      found({ account, date, where, says });
  const through = await compareProgress(table, { account, last: days.at(-1), tellOf });
  const known = [...files.keys(), ...copies.keys()];
  for (const date of await datesToCompare(compared, { known, payments, through })) {
    const [day, copy, tell] = [files.get(date), copies.get(date), tellOf(date)];
    if (day) await compareCopy(compared, { day, copy }, tell);
    else if (copy) tell('statement.json', 'is not there, and the table says it was sealed');
    if (day?.isReadable ?? !copy) await compareDay(compared, { date, day, payments }, tell);
  }
  for (const { date } of copies.values()) {
    if (date > through) tellOf(date)('sealed_day', `is in the table, and the account is sealed up to ${through}`);
  }
}

/** All that a text of a date may be between. */
const ALL_DATES = { from: '', to: '\uffff' };

/**
 * Compares how far the table says that an account is sealed with its files, and with the day that was sealed last of all accounts.
 * @returns the day up to which the account is sealed: where the table cannot be believed, that of the last file
 */
async function compareProgress(
  table: Table,
  { account, last, tellOf }: { account: string; last: CheckedDay | undefined; tellOf: (date: string) => TellFinding },
): Promise<string> {
  const head = await readSealHead(table, account);
  const sealed = last?.statement.date ?? '';
  if (!head) {
    if (last) tellOf(sealed)('seal_head', 'is not in the table');
    return sealed;
  }
  const { date = '', through } = head;
  const tell = tellOf(last ? sealed : through);
  // A day that files alone lack is told where its item is compared.
  if (date === sealed) compareHead(head, last, tell);
  else if (date < sealed || date > through)
    tell('seal_head.date', `is ${date || 'none'}, and the files end with another`);
  const { through: done = '', current } = await readDayProgress(table, 'SEALED');
  const isPossible = isDate(through) && through >= sealed && (through <= done || through <= (current?.through ?? ''));
  if (isPossible) return through;
  tell('seal_head.through', `is ${through}, up to which nothing was sealed`);
  return sealed;
}

/** Characters of a date, at the beginning of a time. */
const DATE_CHARS = 10;

/** From the account's first day to the last that is sealed, and days before the first that anything says something of. */
async function datesToCompare(
  { table, account }: ComparedAccount,
  { known, payments, through }: { known: readonly string[]; payments: readonly BalanceEntry[]; through: string },
): Promise<string[]> {
  if (through === '') return [];
  const { createdAt } = (await readAccount(table, account)) ?? {};
  const [rolledUp] = await readDays(table, account, utcDate(0), through);
  const said = [...known, ...payments.map(dateOfPayment), rolledUp?.date, createdAt?.slice(0, DATE_CHARS)];
  const [first] = said.filter((date) => date !== undefined && isDate(date) && date <= through).toSorted();
  return first === undefined ? [] : datesBetween(first, through);
}

function dateOfPayment({ createdAt }: BalanceEntry): string {
  return createdAt.slice(0, DATE_CHARS);
}

function isDate(text: string): boolean {
  return z.iso.date().safeParse(text).success;
}

/** All lines of one generation, or one payment. */
interface LineGroup {
  /** The number of the first line, counted from 1. */
  number: number;
  lines: SealedLine[];
}

/** @param day as its files have it; undefined for one that has no statement: then nothing may be dated on it */
async function compareDay(
  { table, directory, account }: ComparedAccount,
  { date, day, payments }: { date: string; day: CheckedDay | undefined; payments: readonly BalanceEntry[] },
  tell: TellFinding,
): Promise<void> {
  const known = new Map(payments.map((entry) => [entry.id, entry]));
  const records = new RecordsInOrder(generationsInOrder(table, account, date), ({ id }) =>
    tell(id, 'is charged by its record, and has no line on its day'),
  );
  const path = day && join(directory, sealFiles(account, date).lines(day.statement.lines.file));
  for await (const group of path === undefined ? [] : groupsIn(path)) {
    const [{ kind, id, width }] = group.lines as [SealedLine];
    if (isPaymentKind(kind)) {
      const entry = known.get(id);
      known.delete(id);
      compareGroup(group, entry ? [paymentLine(entry, width)] : [], tell);
      continue;
    }
    const isOwn = kind === 'charge' || kind === 'open';
    const generation = isOwn ? await records.of(id) : await readGeneration(table, account, id);
    compareGroup(group, await expectedLines(table, group, generation), tell);
    if (isOwn || (await lateSealsOf(table, account, id)).includes(date)) continue;
    tell(sealedLineName(group), 'is not in the table among the late seals of its generation');
  }
  await records.end();
  for (const entry of known.values()) {
    if (dateOfPayment(entry) === date) tell(entry.id, 'was booked on that day, and has no line');
  }
}

/** Records in the order of ids, to be asked for in that order. */
class RecordsInOrder {
  readonly #records: AsyncGenerator<Generation, void>;
  readonly #passed: (generation: Generation) => void;
  #next: Generation | undefined;

  /** @param passed is told of records with a charge that nobody asked for */
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

  /** Passes all that are left. */
  async end(): Promise<void> {
    if (this.#next && isActivity(this.#next)) this.#passed(this.#next);
    for await (const generation of this.#records) if (isActivity(generation)) this.#passed(generation);
  }
}

/** The lines that a generation should have; none where there should be no such lines. */
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
 * The lines of a generation as it was while it was estimated, from the entry of its correction: that is what was sealed, and a line of a
 * later day says by what it was corrected.
 *
 * Weakness: when the estimate was made is known from the line alone; and so are its prices where the correction brought others, so then
 * the sums alone are compared.
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

function compareGroup(group: LineGroup, expected: readonly string[], tell: TellFinding): void {
  if (expected.length === 0) return tell(sealedLineName(group), 'is sealed, and there is no such record any more');
  const differing = group.lines.findIndex(({ text }, at) => text !== expected[at]);
  if (differing === -1 && group.lines.length === expected.length) return;
  const at = Math.max(differing, 0);
  tell(
    sealedLineName(group, at),
    `was sealed as\n    ${group.lines[at]?.text ?? 'nothing'}\n  and its record now says\n    ${expected[at] ?? 'nothing'}`,
  );
}

function sealedLineName({ number, lines }: LineGroup, at = 0): string {
  return `line ${number + at}, ${lines[0]!.id}`;
}

/** Lines of one id follow each other. */
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
