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

/**
 * Minimum age in ms of the point in time that an export shows. DynamoDB's backups are about five minutes behind the
 * table, and a later point cannot be exported.
 */
const BACKUP_LAG_MS = 20 * 60_000;
/**
 * Minimum length of the period of an incremental export, in ms. DynamoDB allows periods from 15 minutes to 24 hours.
 */
const SHORTEST_INCREMENT_MS = 15 * 60_000;
/**
 * Maximum age in ms of the start of an incremental export: the retention of backups, minus a day. If the start is
 * older, a full export is needed.
 */
const BACKUPS_KEPT_MS = 34 * DAY_MS;
/**
 * Time in ms after the start of an export at which its result is checked. An export takes a few minutes. The checks are
 * an hour apart, because each repetition of a failed export is charged.
 */
const CHECK_AGAIN_AFTER_MS = 60 * 60_000;

/** ARN of the exported table, and name of the bucket for the exports. */
interface BooksBucket {
  tableArn: string;
  bucket: string;
}

interface ExportRun {
  table: Table;
  exports: TableExports;
  where: BooksBucket;
  atMs: number;
  /** Prefixes, in the bucket, of the exports that this run has started. */
  begun: string[];
}

/**
 * Starts the exports that are due. The whole table is exported the first time, at the beginning of each month, and if
 * the last complete export is more than 34 days old. In addition, the changes up to the last midnight (UTC) are
 * exported, at most a day in each export.
 *
 * Guarantee: incremental exports follow each other without a gap. The end of an export is saved after its start. If a
 * run stops in between, or if runs overlap, the export is requested again with the same token, and DynamoDB starts it
 * only once. A run an hour later checks the result. If an export failed, a log line raises an alarm, and the export is
 * repeated each hour with the same period. No later export is started until the failed one is complete.
 * @returns the prefixes of the started exports
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
  else await goOn(run, { firstSeenMs, untilMs, begun: await checkedAfter(run, { firstSeenMs, untilMs, begun }) });
  return run.begun;
}

/**
 * Exports the whole table. The point in time to export is computed from the current day and the time when the table was
 * first seen. Overlapping runs therefore request the same export, which DynamoDB starts once.
 */
async function exportAnew(run: ExportRun, firstSeenMs: number): Promise<void> {
  // Backups of a new table begin with the table, so an earlier point in time cannot be exported.
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
  return { arn, prefix, fromMs, toMs, attempt, nextCheckAtMs: atMs + CHECK_AGAIN_AFTER_MS };
}

/**
 * Checks whether exports are complete, and starts failed exports again.
 * @returns the exports that are not yet complete
 */
async function checkedAfter(run: ExportRun, progress: ExportProgress): Promise<readonly BegunExport[]> {
  const { atMs } = run;
  if (!progress.begun.some(({ nextCheckAtMs }) => nextCheckAtMs <= atMs)) return progress.begun;
  const open: BegunExport[] = [];
  for (const one of progress.begun) {
    const found = one.nextCheckAtMs <= atMs ? await run.exports.stateOf(one.arn) : undefined;
    if (!found) open.push(one);
    else if (found.state === 'IN_PROGRESS') open.push({ ...one, nextCheckAtMs: atMs + CHECK_AGAIN_AFTER_MS });
    else if (found.state === 'FAILED') {
      const reason = `${one.prefix}: ${found.code}`;
      log('error', bookTripwires.exportFailed, { worker: 'export-books', reason, attempt: one.attempt });
      open.push(await begin(run, one, one.attempt + 1));
    }
  }
  await saveExportProgress(run.table, { ...progress, begun: open });
  return open;
}

/** Starts the exports that are due, unless a failed export is being repeated. */
async function goOn(run: ExportRun, progress: ExportProgress & { untilMs: number }): Promise<void> {
  const { firstSeenMs, untilMs } = progress;
  const midnightMs = Date.parse(utcDate(run.atMs));
  if (run.atMs - midnightMs < BACKUP_LAG_MS || progress.begun.some(({ attempt }) => attempt > 1)) return;
  const begun = [...progress.begun];
  // A period that is too short for an incremental export becomes part of the next period.
  for (let [fromMs, toMs] = [untilMs, endOfIncrement(untilMs)]; toMs <= midnightMs;) {
    begun.push(await begin(run, { prefix: `incremental/dt=${utcDate(fromMs)}`, fromMs, toMs }));
    const isBeginningOfMonth = toMs % DAY_MS === 0 && utcDate(toMs).endsWith('-01');
    if (isBeginningOfMonth)
      begun.push(await begin(run, { prefix: `full/dt=${utcDate(toMs)}`, fromMs: undefined, toMs }));
    await saveExportProgress(run.table, { firstSeenMs, untilMs: toMs, begun });
    [fromMs, toMs] = [toMs, endOfIncrement(toMs)];
  }
}

/**
 * Returns the next midnight. If that midnight is too close for an incremental export, returns the noon after it, so
 * that the following export again ends at midnight.
 */
function endOfIncrement(fromMs: number): number {
  const nextMidnightMs = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS;
  return nextMidnightMs - fromMs >= SHORTEST_INCREMENT_MS ? nextMidnightMs : nextMidnightMs + DAY_MS / 2;
}
