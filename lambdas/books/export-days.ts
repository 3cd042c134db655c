import { DAY_MS, utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import type { Table } from '../store/table.ts';
import { readExportProgress, saveExportProgress, type BeginExport, type TableExport } from '../store/table-export.ts';

/** Backups are about five minutes behind the table; an export of a moment that they do not have yet is refused. */
const BACKUP_LAG_MS = 20 * 60_000;
/** DynamoDB takes increments of fifteen minutes to a day. */
const SHORTEST_INCREMENT_MS = 15 * 60_000;
/** As far back as backups go, with a day to spare: what is older can only be had with a full export. */
const BACKUPS_KEPT_MS = 34 * DAY_MS;

/** Where exports go. */
interface BooksBucket {
  tableArn: string;
  bucket: string;
}

/**
 * Begins the exports that are due: all of the table at first and at each beginning of a month, and otherwise what has changed up to
 * the last midnight (UTC), a day at most in each.
 *
 * Guarantee: increments follow each other without a gap: where one ends is noted once it has begun, and a run that broke off before
 * begins the same one again, which DynamoDB knows by its token.
 * @returns the prefixes of the exports that were begun
 */
export async function exportDays(
  table: Table,
  begin: BeginExport,
  { tableArn, bucket, atMs = nowMs() }: BooksBucket & { atMs?: number },
): Promise<string[]> {
  const midnightMs = Date.parse(utcDate(atMs));
  const begun: string[] = [];
  const exported = async (wanted: Pick<TableExport, 'prefix' | 'fromMs' | 'toMs'>) => {
    await begin({ tableArn, bucket, ...wanted });
    begun.push(wanted.prefix);
  };
  const progress = await readExportProgress(table);
  const { firstSeenMs, untilMs } = progress ?? { firstSeenMs: atMs, untilMs: undefined };
  if (!progress) await saveExportProgress(table, { firstSeenMs, untilMs });
  if (untilMs === undefined || midnightMs - untilMs > BACKUPS_KEPT_MS) {
    const toMs = Math.floor((atMs - BACKUP_LAG_MS) / 1_000) * 1_000;
    // Backups of a new table begin with it: a moment before cannot be exported.
    if (toMs < firstSeenMs) return begun;
    await exported({ prefix: `full/dt=${utcDate(toMs)}`, fromMs: undefined, toMs });
    await saveExportProgress(table, { firstSeenMs, untilMs: toMs });
    return begun;
  }
  if (atMs - midnightMs < BACKUP_LAG_MS) return begun;
  // A span that is too short for an increment goes into the next.
  for (let [fromMs, toMs] = [untilMs, endOfIncrement(untilMs)]; toMs <= midnightMs;) {
    await exported({ prefix: `incremental/dt=${utcDate(fromMs)}`, fromMs, toMs });
    const isBeginningOfMonth = toMs % DAY_MS === 0 && utcDate(toMs).endsWith('-01');
    if (isBeginningOfMonth) await exported({ prefix: `full/dt=${utcDate(toMs)}`, fromMs: undefined, toMs });
    await saveExportProgress(table, { firstSeenMs, untilMs: toMs });
    [fromMs, toMs] = [toMs, endOfIncrement(toMs)];
  }
  return begun;
}

/** The next midnight; a day later, where that comes too soon. */
function endOfIncrement(fromMs: number): number {
  const nextMidnightMs = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS;
  return nextMidnightMs - fromMs >= SHORTEST_INCREMENT_MS ? nextMidnightMs : fromMs + DAY_MS;
}
