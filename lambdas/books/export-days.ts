import { DAY_MS, utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { bookTripwires, log } from '../platform/logger.ts';
import type { Table } from '../store/table/table.ts';
import {
  readExportProgress,
  saveExportProgress,
  type BegunExport,
  type ExportProgress,
  type TableExports,
} from '../store/table/table-export.ts';

/** Backups are about five minutes behind the table; an export of a moment that they do not have yet is refused. */
const BACKUP_LAG_MS = 20 * 60_000;
/** DynamoDB takes increments of fifteen minutes to a day. */
const SHORTEST_INCREMENT_MS = 15 * 60_000;
/** As far back as backups go, with a day to spare: what is older can only be had with a full export. */
const BACKUPS_KEPT_MS = 34 * DAY_MS;
/** An export takes some minutes. One that fails is begun again no more often than that, because each is paid for. */
const LOOK_AGAIN_AFTER_MS = 60 * 60_000;

/** Where exports go. */
interface BooksBucket {
  tableArn: string;
  bucket: string;
}

interface ExportRun {
  table: Table;
  exports: TableExports;
  where: BooksBucket;
  atMs: number;
  /** Prefixes. */
  begun: string[];
}

/**
 * Begins the exports that are due: all of the table at first and at each beginning of a month, and otherwise what has changed up to
 * the last midnight (UTC), a day at most in each.
 *
 * Guarantee: increments follow each other without a gap: where one ends is noted once it has begun, and a run that broke off before
 * begins the same one again, which DynamoDB knows by its token; so do runs that overlap. An hour later a run asks how it went. One that
 * has failed is told in the log, in a line that has an alarm, and is begun again from the same start, each hour; until it is complete, no
 * later one is begun.
 * @returns the prefixes of the exports that were begun
 */
export async function exportDays(
  table: Table,
  exports: TableExports,
  { tableArn, bucket, atMs = nowMs() }: BooksBucket & { atMs?: number },
): Promise<string[]> {
  const run: ExportRun = { table, exports, where: { tableArn, bucket }, atMs, begun: [] };
  const stored = await readExportProgress(table);
  if (!stored) await saveExportProgress(table, { firstSeenMs: atMs, untilMs: undefined, begun: [] });
  const { firstSeenMs, untilMs, begun } = stored ?? { firstSeenMs: atMs, untilMs: undefined, begun: [] };
  const midnightMs = Date.parse(utcDate(atMs));
  const oldestMs = Math.min(untilMs ?? midnightMs, ...begun.map(({ fromMs, toMs }) => fromMs ?? toMs));
  if (untilMs === undefined || midnightMs - oldestMs > BACKUPS_KEPT_MS) await exportAnew(run, firstSeenMs);
  else await goOn(run, { firstSeenMs, untilMs, begun: await lookedAfter(run, { firstSeenMs, untilMs, begun }) });
  return run.begun;
}

/**
 * The moment follows from the day and from when the table was first seen, and not from when the run looks: runs that overlap ask for the
 * same export, which DynamoDB begins once.
 */
async function exportAnew(run: ExportRun, firstSeenMs: number): Promise<void> {
  // Backups of a new table begin with it: a moment before cannot be exported.
  const oldestMs = Math.ceil(firstSeenMs / 1_000) * 1_000;
  const firstDay = utcDate(oldestMs + BACKUP_LAG_MS);
  const toMs = utcDate(run.atMs) <= firstDay ? oldestMs : Date.parse(utcDate(run.atMs));
  if (run.atMs - toMs < BACKUP_LAG_MS) return;
  const full = await begin(run, { prefix: `full/dt=${utcDate(toMs)}`, fromMs: undefined, toMs });
  await saveExportProgress(run.table, { firstSeenMs, untilMs: toMs, begun: [full] });
}

async function begin(
  { exports, where, atMs, begun }: ExportRun,
  wanted: Pick<BegunExport, 'prefix' | 'fromMs' | 'toMs'>,
  attempt = 1,
): Promise<BegunExport> {
  const { prefix, fromMs, toMs } = wanted;
  const arn = await exports.begin({ ...where, prefix, fromMs, toMs, attempt });
  begun.push(prefix);
  return { arn, prefix, fromMs, toMs, attempt, lookAtMs: atMs + LOOK_AGAIN_AFTER_MS };
}

/** Asks of exports whether they are complete, and begins those again that have failed. @returns those that are not complete */
async function lookedAfter(run: ExportRun, progress: ExportProgress): Promise<readonly BegunExport[]> {
  const { atMs } = run;
  if (!progress.begun.some(({ lookAtMs }) => lookAtMs <= atMs)) return progress.begun;
  const open: BegunExport[] = [];
  for (const one of progress.begun) {
    const found = one.lookAtMs <= atMs ? await run.exports.stateOf(one.arn) : undefined;
    if (!found) open.push(one);
    else if (found.state === 'IN_PROGRESS') open.push({ ...one, lookAtMs: atMs + LOOK_AGAIN_AFTER_MS });
    else if (found.state === 'FAILED') {
      const reason = `${one.prefix}: ${found.code}`;
      log('error', bookTripwires.exportFailed, { worker: 'export-books', reason, attempt: one.attempt });
      open.push(await begin(run, one, one.attempt + 1));
    }
  }
  await saveExportProgress(run.table, { ...progress, begun: open });
  return open;
}

/** Begins what is due of increments, and of full exports, unless one has failed and is not made up for. */
async function goOn(run: ExportRun, progress: ExportProgress & { untilMs: number }): Promise<void> {
  const { firstSeenMs, untilMs } = progress;
  const midnightMs = Date.parse(utcDate(run.atMs));
  if (run.atMs - midnightMs < BACKUP_LAG_MS || progress.begun.some(({ attempt }) => attempt > 1)) return;
  const begun = [...progress.begun];
  // A span that is too short for an increment goes into the next.
  for (let [fromMs, toMs] = [untilMs, endOfIncrement(untilMs)]; toMs <= midnightMs;) {
    begun.push(await begin(run, { prefix: `incremental/dt=${utcDate(fromMs)}`, fromMs, toMs }));
    const isBeginningOfMonth = toMs % DAY_MS === 0 && utcDate(toMs).endsWith('-01');
    if (isBeginningOfMonth)
      begun.push(await begin(run, { prefix: `full/dt=${utcDate(toMs)}`, fromMs: undefined, toMs }));
    await saveExportProgress(run.table, { firstSeenMs, untilMs: toMs, begun });
    [fromMs, toMs] = [toMs, endOfIncrement(toMs)];
  }
}

/** The next midnight; a day later, where that comes too soon. */
function endOfIncrement(fromMs: number): number {
  const nextMidnightMs = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS;
  return nextMidnightMs - fromMs >= SHORTEST_INCREMENT_MS ? nextMidnightMs : fromMs + DAY_MS;
}
