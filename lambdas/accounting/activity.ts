import { append } from '../platform/append.ts';
import { dailyRows, readDays, type DailyRow, type Day, type RowLevel } from '../store/days/activity.ts';
import type { Table } from '../store/table/table.ts';
import { tagsJson, tagValue, type RequestTags } from '../store/generations/request-tags.ts';
import { addDailySums, noDailySums, type DailySums } from './daily-sums.ts';

/** Dimensions by which rows can be split. With a split by member, requests without a member have rows of their own. */
export const activitySplits = ['workspace', 'key', 'member'] as const;
export type TagSplit = `tag:${string}`;
export type ActivitySplit = (typeof activitySplits)[number] | TagSplit;

const TAG_SPLIT = 'tag:';

export function splitTags(splitBy: readonly string[]): string[] {
  return splitBy.flatMap((split) => (split.startsWith(TAG_SPLIT) ? [split.slice(TAG_SPLIT.length)] : []));
}

export interface ActivityQuestion {
  workspaceId?: string | undefined;
  keyHash?: string | undefined;
  memberId?: string | undefined;
  splitBy?: readonly ActivitySplit[] | undefined;
}

export interface ActivityRow extends DailySums {
  date: string;
  model: string;
  modelPermaslug: string;
  endpointId: string;
  providerName: string;
  /** Defined only if rows are split by workspace or member. */
  workspaceId: string | undefined;
  keyHash: string | undefined;
  memberId: string | undefined;
  /** Values by name of tag. Undefined if rows are not split by tags. */
  tags: RequestTags | undefined;
}

const DAYS_AT_ONCE = 6;
const MAX_PAGE_ATTEMPTS = 5;

/**
 * Reads daily rows and adds them up. Includes a day only if the rows of all its shards were computed.
 *
 * Guarantee: the rows of each shard come from one computation.
 * Weakness: if rows are replaced during each of five reads, rows may be missing.
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
    const complete = days.filter((day) => dates.includes(day.date) && isComplete(day));
    const rows: ActivityRow[] = [];
    for (let start = 0; start < complete.length; start += DAYS_AT_ONCE) {
      const group = complete.slice(start, start + DAYS_AT_ONCE);
      const read = await Promise.all(group.map((day) => rowsOfDay(table, accountId, day, question)));
      append(rows, read.flat());
    }
    const after = await readVersions();
    if (sameVersions(days, after) || attempt === MAX_PAGE_ATTEMPTS) return rows.sort(rowsInOrder);
    days = after;
  }
}

export function isComplete({ versions }: Day): boolean {
  return !versions.includes(undefined);
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
    if (row.version === day.versions[row.shard] && answers(row, question)) addToRow(rows, day.date, row, question);
  }
  return [...rows.values()];
}

/** Chooses the level with the fewest rows that has all needed fields. */
function selectionOf(question: ActivityQuestion): { level: RowLevel; owner?: string } {
  const { keyHash, memberId, workspaceId, splitBy = [] } = question;
  if (keyHash !== undefined) return { level: 'KEY', owner: keyHash };
  // Rows by member omit requests without a member. Only rows by key have tags.
  if (splitBy.includes('key') || splitTags(splitBy).length > 0) return { level: 'KEY' };
  if (splitBy.includes('member') && memberId === undefined) return { level: 'KEY' };
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

function addToRow(
  rows: Map<string, ActivityRow>,
  date: string,
  row: DailyRow,
  { splitBy = [] }: ActivityQuestion,
): void {
  const { model, modelPermaslug, endpointId, providerName } = row;
  // A split by member also sets the workspace, because member ids are of a workspace.
  const workspaceId = splitBy.includes('workspace') || splitBy.includes('member') ? row.workspaceId : undefined;
  const keyHash = splitBy.includes('key') ? row.keyHash : undefined;
  const memberId = splitBy.includes('member') ? row.memberId : undefined;
  const tags = tagsOfRow(row, splitTags(splitBy));
  const of = [model, modelPermaslug, endpointId, providerName, workspaceId, keyHash, memberId, tags && tagsJson(tags)];
  const name = of.join('\n');
  const whose = { workspaceId, keyHash, memberId, tags };
  const sum = rows.get(name) ?? { date, model, modelPermaslug, endpointId, providerName, ...whose, ...noDailySums };
  addDailySums(sum, row);
  rows.set(name, sum);
}

function tagsOfRow({ tags }: DailyRow, names: readonly string[]): RequestTags | undefined {
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = tagValue(tags, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Compares two rows by their date, model, endpoint and owners, as a comparison function for `sort`. */
export function rowsInOrder(a: ActivityRow, b: ActivityRow): number {
  const name = ({ date, model, endpointId, workspaceId, keyHash, memberId, tags }: ActivityRow) =>
    [date, model, endpointId, workspaceId, keyHash, memberId, tags && tagsJson(tags)].join('\n');
  return name(a) < name(b) ? -1 : 1;
}
