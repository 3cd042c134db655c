/**
 * Seals a UTC day of an account: writes its charges and payments to immutable storage, and signs their sums.
 *
 * Guarantee: a day is sealed once, and a sealed day never changes. A generation that is not settled, or may still be
 * corrected, is listed as open. Once it is settled or corrected, the next day to be sealed gets the lines of that
 * change.
 * Weakness: if a record is wrong when its day is sealed, the wrong amount is sealed.
 */

import { isActivity, type FinalGeneration } from '../../accounting/daily-sums.ts';
import { Money } from '../../money/money.ts';
import { DAY_MS, utcDate } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import type { DocumentSigner } from '../../platform/secrets/document-signer.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import type { KeptFiles } from '../../platform/immutable-files.ts';
import { listBalanceEntries } from '../../store/accounts/accounts.ts';
import { generationsInOrder } from '../../store/generations/generation-queries.ts';
import type { Generation } from '../../store/generations/generation.ts';
import {
  keepDayParts,
  keepLateSeals,
  moveSealHead,
  readOpenEntries,
  type OpenEntry,
  type SealHead,
} from '../../store/days/seals.ts';
import type { Table } from '../../store/table/table.ts';
import { LineFileWriter } from './line-file.ts';
import { readRecordsOf } from './open-records.ts';
import {
  linesFile,
  parseSealStatement,
  sealFiles,
  sealStatementText,
  sha256Of,
  sealedUsageOf,
  type SealStatement,
} from './seal-statement.ts';
import { chargeLines, openLine, paymentLine } from './sealed-line.ts';

export interface SealTools {
  table: Table;
  files: KeptFiles;
  signer: DocumentSigner;
}

/** Time in ms after which an estimated generation is no longer corrected: no settlement message waits that long. */
const CORRECTABLE_MS = 60 * DAY_MS;

class DayContent {
  charged = Money.zero;
  late = Money.zero;
  corrected = Money.zero;
  paid = Money.zero;
  openCount = 0;
  readonly lateIds: string[] = [];
  readonly open: OpenEntry[] = [];
}

/**
 * Seals one day.
 * @param head undefined if nothing is sealed yet
 * @returns the progress including this day; undefined if another run sealed the day first
 */
export async function sealDay(
  tools: SealTools,
  accountId: string,
  date: string,
  head: SealHead | undefined,
): Promise<SealHead | undefined> {
  const { table, files } = tools;
  const names = sealFiles(accountId, date);
  // Reads an existing statement first, because an interrupted run may have written it.
  const text = (await files.get(names.statement)) ?? (await writeDay(tools, accountId, date, head));
  const before = { usage: head?.usage ?? Money.zero, paid: head?.paid ?? Money.zero };
  if (text === undefined) {
    const to = { ...(head ?? { ...before, date: undefined, sha256: undefined, root: undefined }), through: date };
    return (await moveSealHead(table, accountId, { from: head, to, day: undefined })) ? to : undefined;
  }
  const statement = parseSealStatement(text.toString('utf8'));
  const signature = await signatureOf(tools, names.signature, text);
  const { root, count } = statement.lines;
  const to: SealHead = {
    through: date,
    date,
    sha256: sha256Of(text),
    root,
    usage: before.usage.plus(sealedUsageOf(statement)),
    paid: before.paid.plus(Money.parse(statement.paid_rub)),
  };
  const day = {
    date,
    statement: text.toString('utf8'),
    sha256: to.sha256!,
    root,
    leaves: count,
    signature: signature.toString('base64'),
    keyId: statement.key_id,
  };
  return (await moveSealHead(table, accountId, { from: head, to, day })) ? to : undefined;
}

/** Returns the first stored signature, because every signing may give another valid signature. */
async function signatureOf({ files, signer }: SealTools, name: string, text: Buffer): Promise<Buffer> {
  const known = await files.get(name);
  if (known) return known;
  const signature = await signer.sign(text);
  return (await files.putNew(name, signature)) ? signature : (await files.get(name))!;
}

/** Writes the files of a day, and returns the stored statement; undefined if the day has no lines. */
async function writeDay(
  { table, files, signer }: SealTools,
  accountId: string,
  date: string,
  head: SealHead | undefined,
): Promise<Buffer | undefined> {
  const writer = await LineFileWriter.open();
  try {
    const content = await writeLines(writer, { table, accountId, date, head });
    const written = await writer.end();
    if (written.count === 0) return undefined;
    const { root, count, sha256, lines, leaves, tree } = written;
    const file = linesFile(root);
    const names = sealFiles(accountId, date);
    // The statement is written last, because a day that has a statement is never written again. File names contain the
    // root, so files of an interrupted run with other lines do not collide.
    await files.putNew(names.lines(file), lines);
    await files.putNew(names.leaves(root), leaves);
    await keepDayParts(table, accountId, { date, root }, tree, content.open);
    await keepLateSeals(table, accountId, date, content.lateIds);
    const usage = Money.sum([content.charged, content.late, content.corrected]);
    const statement: SealStatement = {
      format: 'model-gateway/sealed-day/1',
      account_id: accountId,
      date,
      sealed_at: new Date(nowMs()).toISOString(),
      key_id: signer.keyId,
      previous: head?.date === undefined ? null : { date: head.date, sha256: head.sha256! },
      lines: { file, sha256, count, root },
      charged_rub: content.charged.toString(),
      late_rub: content.late.toString(),
      corrected_rub: content.corrected.toString(),
      paid_rub: content.paid.toString(),
      open_generations: content.openCount,
      usage_so_far_rub: (head?.usage ?? Money.zero).plus(usage).toString(),
      paid_so_far_rub: (head?.paid ?? Money.zero).plus(content.paid).toString(),
    };
    const text = Buffer.from(sealStatementText(statement));
    return (await files.putNew(names.statement, text)) ? text : (await files.get(names.statement))!;
  } finally {
    await writer.remove();
  }
}

interface DayToSeal {
  table: Table;
  accountId: string;
  date: string;
  head: SealHead | undefined;
}

/** Writes the lines: generations of earlier days, then generations of the day, each ordered by id, then payments. */
async function writeLines(writer: LineFileWriter, { table, accountId, date, head }: DayToSeal): Promise<DayContent> {
  const content = new DayContent();
  const startMs = Date.parse(date);
  if (head?.date !== undefined) {
    const open = await readOpenEntries(table, accountId, { date: head.date, root: head.root! });
    const records = await readRecordsOf(table, accountId, open);
    for (const entry of open) await writeEarlier(writer, content, { entry, record: records.get(entry.id), startMs });
  }
  for await (const generation of generationsInOrder(table, accountId, date))
    await writeOwn(writer, content, generation);
  const payments = await listBalanceEntries(table, accountId);
  for (const payment of payments) {
    const createdAtMs = Date.parse(payment.createdAt);
    if (createdAtMs < startMs || createdAtMs >= startMs + DAY_MS) continue;
    content.paid = content.paid.plus(payment.amount);
    await writer.write(paymentLine(payment), undefined);
  }
  return content;
}

async function writeAll(writer: LineFileWriter, generation: FinalGeneration, kind: 'charge' | 'late' | 'corrected') {
  for (const line of chargeLines(generation, kind)) await writer.write(line, generation.id);
}

async function writeOwn(writer: LineFileWriter, content: DayContent, generation: Generation): Promise<void> {
  const { id, outcome } = generation;
  if (generation.state === 'pending') {
    content.openCount += 1;
    content.open.push({ id, state: 'pending' });
    await writer.write(openLine(generation), id);
    return;
  }
  const mayChange = isCorrectable(generation);
  if (mayChange) content.open.push({ id, state: 'estimated' });
  // An estimate of zero needs a line too, because a day without lines has no list of open generations.
  if (!outcome || !(mayChange || isActivity(generation))) return;
  content.charged = content.charged.plus(outcome.cost);
  await writeAll(writer, { ...generation, outcome }, 'charge');
}

/**
 * Writes the lines of a generation that was settled or corrected since an earlier day was sealed. Otherwise the
 * generation stays open as long as it may change.
 */
async function writeEarlier(
  writer: LineFileWriter,
  content: DayContent,
  { entry, record, startMs }: { entry: OpenEntry; record: Generation | undefined; startMs: number },
): Promise<void> {
  if (record?.state !== 'final' || !record.outcome) {
    content.open.push(entry);
    return;
  }
  const final = { ...record, outcome: record.outcome };
  if (entry.state === 'pending') {
    content.late = content.late.plus(final.outcome.cost);
    content.lateIds.push(entry.id);
    if (isCorrectable(final)) content.open.push({ ...entry, state: 'estimated' });
    await writeAll(writer, final, 'late');
  } else if (final.correction !== undefined) {
    content.corrected = content.corrected.plus(final.correction);
    content.lateIds.push(entry.id);
    await writeAll(writer, final, 'corrected');
  } else if (startMs - generationTimeMs(entry.id)! < CORRECTABLE_MS) content.open.push(entry);
}

function isCorrectable({ swept, correction }: Generation): boolean {
  return swept && correction === undefined;
}

/** Returns the first day of an account. */
export function firstDateOf(createdAt: string): string {
  return utcDate(Date.parse(createdAt));
}
