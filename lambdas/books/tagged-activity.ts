import {
  readActivity,
  rowsInOrder,
  splitTags,
  type ActivityQuestion,
  type ActivityRow,
  type ActivitySplit,
} from '../accounting/activity.ts';
import { invalidRequest } from '../platform/errors.ts';
import { readTagSettings } from '../store/accounts/account-tags.ts';
import { addDailySums, noDailySums } from '../accounting/daily-sums.ts';
import { tagsJson, type RequestTags } from '../store/generations/request-tags.ts';
import type { Table } from '../store/table/table.ts';
import { Names } from './names.ts';
import { valueInReport } from './tag-values.ts';

/**
 * Reads daily rows, as `readActivity` does, and can also split them by tags, with the values of `valueInReport`.
 * Weakness: if a day was computed before the account began to report a tag, its rows do not have the tag's recorded
 * values.
 * @param dates in ascending order
 */
export async function readTaggedActivity(
  { table, accountId }: { table: Table; accountId: string },
  dates: string[],
  question: ActivityQuestion,
  names = new Names(table, accountId),
): Promise<ActivityRow[]> {
  const { splitBy = [] } = question;
  const tagNames = splitTags(splitBy);
  if (tagNames.length === 0) return readActivity(table, accountId, dates, question);
  const rows = await readActivity(table, accountId, dates, {
    ...question,
    splitBy: [...new Set([...splitBy, 'key' as const])],
  });
  return withValuesOfTags(rows, { tagNames, isByKey: splitBy.includes('key'), names });
}

interface TagSplitting {
  tagNames: readonly string[];
  isByKey: boolean;
  names: Names;
}

async function withValuesOfTags(rows: readonly ActivityRow[], { tagNames, isByKey, names }: TagSplitting) {
  await names.loadKeys(rows.map(({ keyHash }) => keyHash!));
  const merged = new Map<string, ActivityRow>();
  for (const row of rows) {
    const { tags: keyTags } = await names.key(row.keyHash!);
    const tags = valuesOf(tagNames, row.tags, keyTags);
    const keyHash = isByKey ? row.keyHash : undefined;
    const { date, model, modelPermaslug, endpointId, providerName, workspaceId, memberId } = row;
    const own = { date, model, modelPermaslug, endpointId, providerName, workspaceId, memberId, keyHash, tags };
    const name = JSON.stringify(Object.values({ ...own, tags: tagsJson(tags) }));
    const sum = merged.get(name) ?? { ...own, ...noDailySums };
    addDailySums(sum, row);
    merged.set(name, sum);
  }
  return [...merged.values()].toSorted(rowsInOrder);
}

function valuesOf(tagNames: readonly string[], recorded: RequestTags | undefined, keyTags: RequestTags): RequestTags {
  return Object.fromEntries(tagNames.map((name) => [name, valueInReport(name, recorded, keyTags)]));
}

/**
 * Checks that the account reports all tags of a split. Daily rows have no values of other tags.
 * @throws {GatewayError} 400 if the split names a tag that the account does not report
 */
export async function checkReportedTags(
  { table, accountId }: { table: Table; accountId: string },
  splitBy: readonly ActivitySplit[],
  field: string,
): Promise<void> {
  const tagNames = splitTags(splitBy);
  if (tagNames.length === 0) return;
  const { reported } = await readTagSettings(table, accountId);
  const other = tagNames.find((name) => !reported.includes(name));
  if (other === undefined) return;
  const known = reported.length === 0 ? 'no tags' : `only ${reported.join(', ')}`;
  throw invalidRequest(
    field,
    `cannot split by the tag ${other}: the account reports ${known}; set its tags with PUT /tags`,
  );
}
