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

/** Minimum age in ms of the point in time that an export shows. Backups are about five minutes behind the table. */
const BACKUP_LAG_MS = 20 * 60_000;
/**
 * Minimum length of the period of an incremental export, in ms. DynamoDB allows periods from 15 minutes to 24 hours.
 */
const SHORTEST_INCREMENT_MS = 15 * 60_000;
/** Maximum age in ms of the start of an incremental export: the retention of backups, minus a day. */
const BACKUPS_KEPT_MS = 34 * DAY_MS;
/**
 * Time in ms after the start of an export at which its result is checked. Each repetition of a failed export is
 * charged.
 */
const CHECK_AGAIN_AFTER_MS = 60 * 60_000;

interface BooksBucket {
  tableArn: string;
  bucket: string;
}

interface ExportRun {
  table: Table;
  exports: TableExports;
  where: BooksBucket;
  atMs: number;
  begun: string[];
}

/**
 * Starts the exports that are due. The whole table is exported the first time, at the beginning of each month, and if
 * the backups do not contain the end of the last complete export. In addition, the changes up to the last midnight
 * (UTC) are exported, at most a day in each export.
 *
 * Guarantee: incremental exports follow each other without a gap. If a run is interrupted, or if runs overlap, the
 * export is requested again with the same token, and DynamoDB starts it only once. A failed export is repeated each
 * hour, and no later export is started until it is complete. If backups were switched off in between, or the table was
 * restored from another, the exports start again with the whole table.
 * @returns the prefixes of the started exports
 */
export async function exportDays(
  table: Table,
  exports: TableExports,
  { tableArn, bucket, atMs = nowMs() }: BooksBucket & { atMs?: number },
): Promise<string[]> {
  const run: ExportRun = { table, exports, where: { tableArn, bucket }, atMs, begun: [] };
  const stored = await readExportProgress(table);
  // A restored table contains the progress of the original table, but has only its own backups. Its exports start
  // again.
  const isOfThisTable = stored !== undefined && (stored.tableArn ?? tableArn) === tableArn;
  const progress = isOfThisTable ? { ...stored, tableArn } : await startAgain(run);
  try {
    await exportDue(run, progress);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'InvalidExportTimeException')) throw error;
    await startAgain(run);
    log('error', bookTripwires.exportFailed, { worker: 'export-books', reason: error.name });
  }
  return run.begun;
}

/** Forgets all exports, so that the next export contains the whole table. */
async function startAgain({ table, where: { tableArn }, atMs }: ExportRun): Promise<ExportProgress> {
  const progress = { tableArn, firstSeenMs: atMs, untilMs: undefined, begun: [] };
  await saveExportProgress(table, progress);
  return progress;
}

async function exportDue(run: ExportRun, progress: ExportProgress): Promise<void> {
  const { untilMs, begun } = progress;
  const midnightMs = Date.parse(utcDate(run.atMs));
  const oldestMs = Math.min(untilMs ?? midnightMs, ...begun.map(({ fromMs, toMs }) => fromMs ?? toMs));
  if (untilMs === undefined || midnightMs - oldestMs > BACKUPS_KEPT_MS) await exportAnew(run, progress);
  else await goOn(run, { ...progress, untilMs, begun: await checkedAfter(run, progress) });
}

/** Exports the whole table. Overlapping runs on one day request the same export, which DynamoDB starts once. */
async function exportAnew(run: ExportRun, progress: ExportProgress): Promise<void> {
  // Backups of a new table begin with its creation, so an export on the first day shows the time of the first run.
  const oldestMs = Math.ceil(progress.firstSeenMs / 1_000) * 1_000;
  const firstDay = utcDate(oldestMs + BACKUP_LAG_MS);
  const toMs = utcDate(run.atMs) <= firstDay ? oldestMs : Date.parse(utcDate(run.atMs));
  if (run.atMs - toMs < BACKUP_LAG_MS) return;
  const full = await begin(run, { prefix: `full/dt=${utcDate(toMs)}`, fromMs: undefined, toMs });
  await saveExportProgress(run.table, { ...progress, untilMs: toMs, begun: [full] });
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

async function goOn(run: ExportRun, progress: ExportProgress & { untilMs: number }): Promise<void> {
  const { untilMs } = progress;
  const midnightMs = Date.parse(utcDate(run.atMs));
  if (run.atMs - midnightMs < BACKUP_LAG_MS || progress.begun.some(({ attempt }) => attempt > 1)) return;
  const begun = [...progress.begun];
  for (let [fromMs, toMs] = [untilMs, endOfIncrement(untilMs)]; toMs <= midnightMs;) {
    begun.push(await begin(run, { prefix: `incremental/dt=${utcDate(fromMs)}`, fromMs, toMs }));
    const isBeginningOfMonth = toMs % DAY_MS === 0 && utcDate(toMs).endsWith('-01');
    if (isBeginningOfMonth)
      begun.push(await begin(run, { prefix: `full/dt=${utcDate(toMs)}`, fromMs: undefined, toMs }));
    await saveExportProgress(run.table, { ...progress, untilMs: toMs, begun });
    [fromMs, toMs] = [toMs, endOfIncrement(toMs)];
  }
}

/** Returns the next midnight or, if it is too close for an incremental export, the noon after it. */
function endOfIncrement(fromMs: number): number {
  const nextMidnightMs = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS;
  return nextMidnightMs - fromMs >= SHORTEST_INCREMENT_MS ? nextMidnightMs : nextMidnightMs + DAY_MS / 2;
}
