import { dailyRows, readDays, type DailyRow, type Day, type RowLevel } from '../store/activity.ts';
import type { Table } from '../store/table.ts';
import { addSums, noSums, type DailySums } from './daily-sums.ts';

/** Which rows of a day are wanted; an absent field does not restrict. */
export interface ActivityQuestion {
  workspaceId?: string | undefined;
  keyHash?: string | undefined;
  memberId?: string | undefined;
  splitByWorkspace: boolean;
}

/** Spending of one day, model and endpoint, and of one workspace when rows are split. */
export interface ActivityRow extends DailySums {
  date: string;
  model: string;
  modelPermaslug: string;
  endpointId: string;
  providerName: string;
  workspaceId: string | undefined;
}

/** Days are read in parallel, so that thirty of them do not take thirty times as long. */
const DAYS_AT_ONCE = 6;
const MAX_ATTEMPTS = 5;

/**
 * Reads daily rows and adds them up. A day is included when all its shards were rolled up after it ended.
 *
 * Guarantee: each shard's rows come from one recomputation; if one is replaced during the read, all is read again.
 * @param dates in ascending order
 */
export async function readActivity(
  table: Table,
  accountId: string,
  dates: string[],
  question: ActivityQuestion,
): Promise<ActivityRow[]> {
  const readVersions = () => readDays(table, accountId, dates[0]!, dates.at(-1)!);
  let days = await readVersions();
  for (let attempt = 1; ; attempt += 1) {
    const complete = days.filter(({ date, versions }) => dates.includes(date) && !versions.includes(undefined));
    const rows: ActivityRow[] = [];
    for (let start = 0; start < complete.length; start += DAYS_AT_ONCE) {
      const group = complete.slice(start, start + DAYS_AT_ONCE);
      const read = await Promise.all(group.map((day) => rowsOfDay(table, accountId, day, question)));
      rows.push(...read.flat());
    }
    const after = await readVersions();
    if (sameVersions(days, after) || attempt === MAX_ATTEMPTS) return rows.sort(inOrder);
    days = after;
  }
}

function sameVersions(before: Day[], after: Day[]): boolean {
  return versionsText(before) === versionsText(after);
}

function versionsText(days: Day[]): string {
  return JSON.stringify(days.map(({ date, versions }) => [date, versions]));
}

async function rowsOfDay(
  table: Table,
  accountId: string,
  day: Day,
  question: ActivityQuestion,
): Promise<ActivityRow[]> {
  const rows = new Map<string, ActivityRow>();
  for await (const row of dailyRows(table, accountId, day.date, selectionOf(question))) {
    if (row.version === day.versions[row.shard] && answers(row, question)) add(rows, day.date, row, question);
  }
  return [...rows.values()];
}

/** The level with the fewest rows that can answer. */
function selectionOf({ keyHash, memberId, workspaceId }: ActivityQuestion): { level: RowLevel; owner?: string } {
  if (keyHash !== undefined) return { level: 'KEY', owner: keyHash };
  if (memberId !== undefined) return { level: 'MEMBER', owner: memberId };
  return workspaceId === undefined ? { level: 'WORKSPACE' } : { level: 'WORKSPACE', owner: workspaceId };
}

function answers(row: DailyRow, { workspaceId, keyHash, memberId }: ActivityQuestion): boolean {
  return (
    (workspaceId === undefined || row.workspaceId === workspaceId) &&
    (keyHash === undefined || row.keyHash === keyHash) &&
    (memberId === undefined || row.memberId === memberId)
  );
}

function add(
  rows: Map<string, ActivityRow>,
  date: string,
  row: DailyRow,
  { splitByWorkspace }: ActivityQuestion,
): void {
  const { model, modelPermaslug, endpointId, providerName } = row;
  const workspaceId = splitByWorkspace ? row.workspaceId : undefined;
  const name = [model, modelPermaslug, endpointId, providerName, workspaceId].join('\n');
  const sum = rows.get(name) ?? { date, model, modelPermaslug, endpointId, providerName, workspaceId, ...noSums };
  addSums(sum, row);
  rows.set(name, sum);
}

function inOrder(a: ActivityRow, b: ActivityRow): number {
  const name = ({ date, model, endpointId, workspaceId = '' }: ActivityRow) =>
    [date, model, endpointId, workspaceId].join('\n');
  return name(a) < name(b) ? -1 : 1;
}
