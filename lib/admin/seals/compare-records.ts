/** Compares sealed lines with the records that they were made of, as these are now. */

import { join } from 'node:path';
import { isActivity, type FinalGeneration } from '../../../lambdas/accounting/daily-sums.ts';
import { sealFiles } from '../../../lambdas/books/seals/seal-statement.ts';
import { chargeLines, openLine, paymentLine } from '../../../lambdas/books/seals/sealed-line.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { balanceEntryKinds, listBalanceEntries } from '../../../lambdas/store/accounts.ts';
import { readCorrection } from '../../../lambdas/store/corrections.ts';
import { generationsInOrder, readGeneration } from '../../../lambdas/store/generation-queries.ts';
import type { Generation } from '../../../lambdas/store/generation.ts';
import { readSealedDay, readSealHead } from '../../../lambdas/store/seals.ts';
import type { Table } from '../../../lambdas/store/table.ts';
import type { CheckedDay, SealFinding } from './check-files.ts';
import { SealedLineReader, type SealedLine } from './sealed-lines.ts';

interface Compared {
  table: Table;
  directory: string;
  account: string;
}

type Tell = (where: string, says: string) => void;

/** @param days of the account, in order, as their files have them */
export async function compareAccount(
  { table, directory, account }: Compared,
  days: readonly CheckedDay[],
  found: (finding: SealFinding) => void,
): Promise<void> {
  const head = await readSealHead(table, account);
  const last = days.at(-1);
  if (head?.date !== undefined && head.date !== last?.statement.date) {
    found({
      account,
      date: head.date,
      where: 'statement.json',
      says: 'is not there, and the table says it was sealed',
    });
  }
  for (const day of days) {
    const { date } = day.statement;
    const tell: Tell = (where, says) => found({ account, date, where, says });
    const known = await readSealedDay(table, account, date);
    if (known?.sha256 !== day.sha256) tell('statement.json', 'is not the statement that the table names');
    if (day.isReadable) await compareDay({ table, directory, account }, day, tell);
  }
}

/** All lines of one generation, or one payment. */
interface LineGroup {
  /** The number of the first line, counted from 1. */
  number: number;
  lines: SealedLine[];
}

async function compareDay(compared: Compared, { statement }: CheckedDay, tell: Tell): Promise<void> {
  const { table, directory, account } = compared;
  const { date, lines } = statement;
  const path = join(directory, sealFiles(account, date).lines(lines.file));
  const payments = new Map((await listBalanceEntries(table, account)).map((entry) => [entry.id, entry]));
  const records = new RecordsInOrder(generationsInOrder(table, account, date), ({ id }) =>
    tell(id, 'is charged by its record, and has no line on its day'),
  );
  for await (const group of groupsIn(path)) {
    const [{ kind, id }] = group.lines as [SealedLine];
    if (isPayment(kind)) {
      const entry = payments.get(id);
      payments.delete(id);
      compareGroup(group, entry ? [paymentLine(entry)] : [], tell);
      continue;
    }
    const isOwn = kind === 'charge' || kind === 'open';
    const generation = isOwn ? await records.of(id) : await readGeneration(table, account, id);
    compareGroup(group, await expectedLines(table, group, generation), tell);
  }
  await records.end();
  for (const { id, createdAt } of payments.values()) {
    if (createdAt.slice(0, date.length) === date) tell(id, 'was booked on that day, and has no line');
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

function isPayment(kind: SealedLine['kind']): boolean {
  return (balanceEntryKinds as readonly string[]).includes(kind);
}

/** The lines that a generation should have; none where there should be no such lines. */
async function expectedLines(
  table: Table,
  { lines }: LineGroup,
  generation: Generation | undefined,
): Promise<string[]> {
  const [first] = lines as [SealedLine];
  if (!generation) return [];
  if (first.kind === 'open') return [openLine(generation)];
  const { outcome, state, correction } = generation;
  if (state !== 'final' || !outcome) return [];
  const isEstimate = first.kind !== 'corrected' && first.correction.isZero;
  const final = { ...generation, outcome };
  if (correction === undefined || !isEstimate) return chargeLines(final, first.kind);
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
  return chargeLines(estimate, first.kind);
}

function compareGroup(group: LineGroup, expected: readonly string[], tell: Tell): void {
  if (expected.length === 0) return tell(nameOf(group), 'is sealed, and there is no such record any more');
  const differing = group.lines.findIndex(({ text }, at) => text !== expected[at]);
  if (differing === -1 && group.lines.length === expected.length) return;
  const at = Math.max(differing, 0);
  tell(
    nameOf(group, at),
    `was sealed as\n    ${group.lines[at]?.text ?? 'nothing'}\n  and its record now says\n    ${expected[at] ?? 'nothing'}`,
  );
}

function nameOf({ number, lines }: LineGroup, at = 0): string {
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
