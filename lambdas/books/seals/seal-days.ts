import { createHash } from 'node:crypto';
import { DAY_MS, datesBetween, utcDate } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { bookTripwires, log } from '../../platform/logger.ts';
import { writeMetrics } from '../../platform/metrics.ts';
import { requestTimestamp } from '../../platform/secrets/timestamps.ts';
import { listAccountIds, type Account } from '../../store/accounts/accounts.ts';
import { readDays } from '../../store/days/activity.ts';
import { saveDaysDone } from '../../store/days/day-progress.ts';
import { readSealedDay, readSealHead, type SealHead } from '../../store/days/seals.ts';
import type { Table } from '../../store/table/table.ts';
import { dueDay, eachAccountOf } from '../each-account.ts';
import { lifetimeDrift } from './lifetime.ts';
import { firstDateOf, sealDay, type SealTools } from './seal-day.ts';
import { listFiles } from './seal-statement.ts';

/** Maximum number of days for which one run writes lists of statements. */
const MAX_LISTS = 400;

interface SealRun {
  /** Value of performance.now() from which the run seals no further days. */
  deadlineMs?: number;
  atMs?: number;
  timestampAuthority?: string | undefined;
}

/**
 * Seals the days of all accounts, once after each day. An account's missing earlier days are sealed first. When all
 * accounts are done, the list of the day's statements is written, with a timestamp if an authority is configured.
 *
 * Weakness: one day of one account must be sealed within one run. Its leaves are in one partition of the table.
 * @returns number of days that were sealed or had nothing to seal, over all accounts
 */
export async function sealDays(
  tools: SealTools,
  { deadlineMs = Infinity, atMs = nowMs(), timestampAuthority }: SealRun = {},
): Promise<number> {
  const { table } = tools;
  const due = await dueDay(table, 'SEALED', atMs);
  if (!due) return 0;
  const { date: yesterday, through } = due;
  let sealed = 0;
  const { isDone } = await eachAccountOf(
    table,
    { kind: 'SEALED', date: yesterday, deadlineMs, atMs },
    async (account) => {
      let head = await readSealHead(table, account.id);
      for (const date of await datesToSeal(table, account, head, yesterday)) {
        if (performance.now() >= deadlineMs) return false;
        head = await sealDay(tools, account.id, date, head);
        // Leaves the account to another run that is sealing it.
        if (!head) return false;
        sealed += 1;
      }
      if (head) await compareLifetime(table, account.id, head);
      return true;
    },
  );
  if (!isDone) return sealed;
  const first = through === undefined ? yesterday : utcDate(Date.parse(through) + DAY_MS);
  for (const date of datesBetween(first, yesterday).slice(-MAX_LISTS)) {
    await keepList(tools, date, timestampAuthority);
  }
  await saveDaysDone(table, 'SEALED', yesterday);
  return sealed;
}

/** Returns the days after the last sealed day, or since the first day of the account or of its daily rows. */
async function datesToSeal(
  table: Table,
  { id, createdAt }: Account,
  head: SealHead | undefined,
  last: string,
): Promise<string[]> {
  if (head) return datesBetween(utcDate(Date.parse(head.through) + DAY_MS), last);
  const [rolledUp] = await readDays(table, id, utcDate(0), last);
  const [first] = [firstDateOf(createdAt), rolledUp?.date ?? last].toSorted() as [string];
  return datesBetween(first, last);
}

async function compareLifetime(table: Table, accountId: string, head: SealHead): Promise<void> {
  const drift = await lifetimeDrift(table, accountId, head);
  if (!drift) return;
  const { counted, sealed } = drift;
  writeMetrics({ DriftRub: Math.abs(Number(counted.minus(sealed).toString())) });
  const reason = `lifetime window of the counter is ${counted} without today, and sealed days add up to ${sealed}`;
  log('error', bookTripwires.booksDiffer, { accountId, date: head.through, reason, count: 1 });
}

/** Stores the list of a day's statements, and its timestamp. Does nothing if no account has a statement. */
async function keepList({ table, files }: SealTools, date: string, authority: string | undefined): Promise<void> {
  const { list, timestamp } = listFiles(date);
  const text = (await files.get(list)) ?? (await writeList({ table, files }, date));
  if (!text || authority === undefined || (await files.get(timestamp))) return;
  await files.putNew(timestamp, await requestTimestamp(authority, createHash('sha256').update(text).digest()));
}

/** Writes the SHA-256 of each statement of a day, sorted, one per line. The hashes do not reveal the accounts. */
async function writeList(
  { table, files }: Pick<SealTools, 'table' | 'files'>,
  date: string,
): Promise<Buffer | undefined> {
  const hashes: string[] = [];
  for await (const { id } of listAccountIds(table)) {
    const day = await readSealedDay(table, id, date);
    if (day) hashes.push(day.sha256);
  }
  if (hashes.length === 0) return undefined;
  const text = Buffer.from(`${hashes.toSorted().join('\n')}\n`);
  const { list } = listFiles(date);
  return (await files.putNew(list, text)) ? text : files.get(list);
}
