/**
 * Settings of alerts of an account, a workspace or a key. They have items of their own, so that items that requests
 * read stay small.
 */

import { queryPage } from '../table/calls.ts';
import { queryPartition, readItem, readItems } from '../table/query.ts';
import { attribute, count, money, oneOf, optional, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { putNew, putOver, remove, type Key, type Write } from '../table/writes.ts';

export const alertOwnerKinds = ['account', 'workspace', 'key'] as const;

export interface AlertOwner {
  kind: (typeof alertOwnerKinds)[number];
  id: string;
}

export const alertFormats = ['standard', 'slack', 'telegram'] as const;
export type AlertFormat = (typeof alertFormats)[number];

const alertSettingsRecord = record({
  accountId: text('account_id'),
  ownerKind: oneOf('owner_kind', alertOwnerKinds),
  ownerId: text('owner_id'),
  /** Percentages of a limit, in ascending order. An empty list turns alerts about limits off. */
  thresholds: attribute<readonly number[]>('thresholds', {
    fromAttribute: (stored) => ((stored ?? []) as unknown[]).map(Number),
  }),
  /** URL that gets the notices. Do not log it, because it may contain a secret (Slack, Telegram). */
  webhookUrl: optional(text('webhook_url')),
  format: oneOf('format', alertFormats),
  chatId: optional(text('chat_id')),
  email: optional(text('email')),
  /** Base URL of the API, for links; undefined if unknown. */
  baseUrl: optional(text('base_url')),
  /** Balance of a prepaid account that counts as low: an amount, or a percentage of the last payment. */
  lowBalance: optional(money('low_balance_rub')),
  lowBalancePercent: optional(count('low_balance_percent')),
  version: count('version'),
  updatedAt: text('updated_at'),
});

export type AlertSettings = RecordOf<typeof alertSettingsRecord>;

const SETTINGS_PREFIX = 'SETTINGS#';

function alertsPartition(accountId: string): string {
  return `ALERTS#${accountId}`;
}

function settingsKey(accountId: string, { kind, id }: AlertOwner): Key {
  return { pk: alertsPartition(accountId), sk: `${SETTINGS_PREFIX}${kind}#${id}` };
}

export function alertOwnerName({ kind, id }: AlertOwner): string {
  return `${kind}#${id}`;
}

/** Returns the settings of the owner itself. */
export async function readAlertSettings(
  table: Table,
  accountId: string,
  owner: AlertOwner,
): Promise<AlertSettings | undefined> {
  const item = await readItem(table, settingsKey(accountId, owner));
  return item && alertSettingsRecord.from(item);
}

/** Returns the existing settings of several owners, by `alertOwnerName`. */
export async function readSettingsOfOwners(
  table: Table,
  accountId: string,
  owners: readonly AlertOwner[],
): Promise<Map<string, AlertSettings>> {
  const keys = owners.map((owner) => settingsKey(accountId, owner));
  const settings = (await readItems(table, keys)).map(alertSettingsRecord.from);
  return new Map(settings.map((one) => [alertOwnerName({ kind: one.ownerKind, id: one.ownerId }), one]));
}

export async function listAlertSettings(table: Table, accountId: string): Promise<AlertSettings[]> {
  const items = await Array.fromAsync(queryPartition(table, alertsPartition(accountId), SETTINGS_PREFIX));
  return items.map(alertSettingsRecord.from);
}

/** Returns whether an account, or one of its workspaces or keys, has settings of alerts. */
export async function hasAlertSettings(table: Table, accountId: string): Promise<boolean> {
  const { items } = await queryPage(table, {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': alertsPartition(accountId), ':prefix': SETTINGS_PREFIX },
    Limit: 1,
  });
  return items.length > 0;
}

/** Returns the write of settings. `settings.version` is the version to write: 1 for new settings. */
export function alertSettingsPut(table: Table, settings: AlertSettings): Write {
  const { accountId, ownerKind: kind, ownerId: id, version } = settings;
  const item = {
    ...settingsKey(accountId, { kind, id }),
    entity: 'alert_settings',
    ...alertSettingsRecord.toItem(settings),
  };
  return version === 1 ? putNew(table, item) : putOver(table, item, version - 1);
}

/** Returns the write that deletes settings. It fails if their version has changed since it was read. */
export function alertSettingsRemoval(table: Table, settings: AlertSettings): Write {
  const { accountId, ownerKind: kind, ownerId: id, version } = settings;
  return remove(table, settingsKey(accountId, { kind, id }), { equal: { version } });
}
