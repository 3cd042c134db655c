import { readItem } from '../table/query.ts';
import { limitsField, limitTimesField } from '../counters/limits.ts';
import { tagField } from '../counters/tag-scopes.ts';
import { count, list, record, text, texts, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { putNew, putOver, type Key, type Write } from '../table/writes.ts';

export const MAX_REPORTED_TAGS = 4;

/** Maximum number of tags with budgets in an account. */
export const MAX_BUDGETED_TAGS = 100;

const tagBudgetsRecord = record({
  tag: tagField('tag'),
  limits: limitsField('limits'),
  limitTimes: limitTimesField,
  /** Number that grows with each change of the limits, even after budgets of the tag were removed. */
  revision: count('revision'),
  /** Time from which requests with the tag are counted. */
  createdAt: text('created_at'),
});

export type TagBudgets = RecordOf<typeof tagBudgetsRecord>;

const tagSettingsRecord = record({
  accountId: text('account_id'),
  /** Names of the tags by which the daily rows of the account are split. */
  reported: texts('reported', MAX_REPORTED_TAGS),
  budgets: list('budgets', tagBudgetsRecord, MAX_BUDGETED_TAGS),
  /** Number of changes, used as the ETag. */
  version: count('version'),
});

export type TagSettings = RecordOf<typeof tagSettingsRecord>;

export const tagSettingsFrom = tagSettingsRecord.from;

export function tagSettingsKey(accountId: string): Key {
  return { pk: `ACCOUNT#${accountId}`, sk: 'TAGS' };
}

/** Returns the settings of an account; the defaults if it has never changed them. */
export async function readTagSettings(table: Table, accountId: string): Promise<TagSettings> {
  const item = await readItem(table, tagSettingsKey(accountId));
  return item ? tagSettingsFrom(item) : { accountId, reported: [], budgets: [], version: 0 };
}

/** Returns the write of settings. `settings.version` is the version to write: 1 for new settings. */
export function tagSettingsPut(table: Table, settings: TagSettings): Write {
  const item = {
    ...tagSettingsKey(settings.accountId),
    entity: 'account_tags',
    ...tagSettingsRecord.toItem(settings),
  };
  return settings.version === 1 ? putNew(table, item) : putOver(table, item, settings.version - 1);
}
