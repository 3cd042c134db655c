/**
 * Settings of an account for the tags of its requests. All settings are in one item, which a request reads in the same
 * call as its account, unless its process has recently read budgets of the account (admission/kept-tag-budgets.ts).
 */

import { readItem } from '../table/query.ts';
import { limitsField, limitTimesField } from '../counters/limits.ts';
import { tagField } from '../counters/tag-scopes.ts';
import { count, list, record, text, texts, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { putNew, putOver, type Key, type Write } from '../table/writes.ts';

/** Maximum number of tags by which the daily rows of an account are split. */
export const MAX_REPORTED_TAGS = 4;

/** Maximum number of tags with budgets in an account. A larger list might not fit into one item. */
export const MAX_BUDGETED_TAGS = 100;

const tagBudgetsRecord = record({
  tag: tagField('tag'),
  limits: limitsField('limits'),
  limitTimes: limitTimesField,
  /** Revision of the limits. It grows with each change, and stays higher than that of removed budgets of the tag. */
  revision: count('revision'),
  /** Time from which requests with the tag are counted. */
  createdAt: text('created_at'),
});

/** Budgets of one tag, such as `project=lake`. */
export type TagBudgets = RecordOf<typeof tagBudgetsRecord>;

const tagSettingsRecord = record({
  accountId: text('account_id'),
  /** Names of the tags by which the daily rows of the account are split. */
  reported: texts('reported', MAX_REPORTED_TAGS),
  budgets: list('budgets', tagBudgetsRecord, MAX_BUDGETED_TAGS),
  /** Number of times that the settings were changed, used as the ETag. */
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

/** Returns the write of the next version of the settings. `settings.version` is the version to write. */
export function tagSettingsPut(table: Table, settings: TagSettings): Write {
  const item = {
    ...tagSettingsKey(settings.accountId),
    entity: 'account_tags',
    ...tagSettingsRecord.toItem(settings),
  };
  return settings.version === 1 ? putNew(table, item) : putOver(table, item, settings.version - 1);
}
