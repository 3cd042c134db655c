/**
 * Checks of each UTC day: keys that expire, models that retire, and prices that change. A day's checks may take several
 * runs.
 */

import type { Catalog } from '../catalog/catalog.ts';
import { DAY_MS, utcDate } from '../money/periods.ts';
import { allKeys, inferenceKeysOf, managementKeysOf } from '../store/accounts/key-directory.ts';
import { keyFrom, keyItemKey, type ApiKey } from '../store/accounts/keys.ts';
import { listWorkspaces } from '../store/accounts/workspaces.ts';
import { listAlertSettings, alertOwnerName, type AlertSettings } from '../store/alerts/alert-settings.ts';
import { readItems } from '../store/table/query.ts';
import type { Table } from '../store/table/table.ts';
import { hasDestination, nearestSettings } from './alert-owners.ts';
import { nextPriceChange, retirementOf } from './coming-changes.ts';
import { publishBefore } from './event-notice.ts';
import { consoleUrl, minuteText, withLink, type Notice } from './notice.ts';
import { recentModels } from './recent-models.ts';
import { scanAccounts } from './scan-accounts.ts';

const DAYS_BEFORE_EXPIRY = [1, 7];
const DAYS_BEFORE_RETIREMENT = [7, 30];
const DAYS_BEFORE_PRICE_CHANGE = [7];
/** Number of previous days, in addition to today, on which spending makes a model count as in use. */
const RECENT_DAYS = 7;
const KEYS_AT_ONCE = 100;

export async function checkDaily(
  table: Table,
  { catalog, nowMs, deadlineMs }: { catalog: Catalog; nowMs: number; deadlineMs: number },
): Promise<void> {
  const scan = { name: `day#${utcDate(nowMs)}`, untilMs: nowMs + 2 * DAY_MS };
  const visit = async (accountId: string) => {
    const settings = await listAlertSettings(table, accountId);
    if (!settings.some(hasDestination)) return;
    const byOwner = new Map(settings.map((one) => [alertOwnerName({ kind: one.ownerKind, id: one.ownerId }), one]));
    await checkKeys(table, { accountId, byOwner }, nowMs);
    const ofAccount = byOwner.get(alertOwnerName({ kind: 'account', id: accountId }));
    if (ofAccount && hasDestination(ofAccount)) await checkModels(table, ofAccount, { catalog, nowMs });
  };
  await scanAccounts(table, scan, { visit, deadlineMs });
}

interface WatchedAccount {
  accountId: string;
  byOwner: ReadonlyMap<string, AlertSettings>;
}

async function checkKeys(table: Table, account: WatchedAccount, nowMs: number): Promise<void> {
  const workspaces = await listWorkspaces(table, account.accountId);
  const lists = workspaces.map(({ id }) => inferenceKeysOf({ workspaceId: id, includeDisabled: false }));
  for (const list of [managementKeysOf(account.accountId), ...lists]) {
    let hashes: string[] = [];
    const checkBatch = async () => {
      const keys = (await readItems(table, hashes.map(keyItemKey))).map(keyFrom);
      for (const key of keys) if (!key.deleted && !key.disabled) await checkKey(table, account, { key, nowMs });
      hashes = [];
    };
    for await (const hash of allKeys(table, list)) if (hashes.push(hash) >= KEYS_AT_ONCE) await checkBatch();
    if (hashes.length > 0) await checkBatch();
  }
}

async function checkKey(
  table: Table,
  { accountId, byOwner }: WatchedAccount,
  { key, nowMs }: { key: ApiKey; nowMs: number },
): Promise<void> {
  if (key.expiresAt === undefined) return;
  const owners = [
    { kind: 'key', id: key.hash } as const,
    ...(key.workspaceId === undefined ? [] : [{ kind: 'workspace', id: key.workspaceId } as const]),
    { kind: 'account', id: accountId } as const,
  ];
  const settings = nearestSettings(owners, byOwner);
  if (!settings || !hasDestination(settings)) return;
  const event = { name: `key-expires#${key.hash}`, atMs: Date.parse(key.expiresAt) };
  const notice = withLink(
    {
      type: 'alert.key.expiring',
      subject: 'Model gateway: a key expires soon',
      lines: [`The key "${key.name}" expires at ${minuteText(event.atMs)}.`],
      data: { key_hash: key.hash, name: key.name, expires_at: key.expiresAt },
    },
    consoleUrl(settings.baseUrl, 'keys'),
  );
  await publishBefore(table, settings, { event, days: DAYS_BEFORE_EXPIRY, notice, nowMs });
}

async function checkModels(
  table: Table,
  settings: AlertSettings,
  { catalog, nowMs }: { catalog: Catalog; nowMs: number },
): Promise<void> {
  for (const id of await recentModels(table, settings.accountId, { days: RECENT_DAYS, nowMs })) {
    const model = catalog.find(id);
    if (!model) continue;
    const retiresAtMs = retirementOf(model, nowMs);
    if (retiresAtMs !== undefined) {
      const notice = modelNotice(settings, { type: 'alert.model.retiring', model: id, atMs: retiresAtMs });
      const event = { name: `model-retires#${id}`, atMs: retiresAtMs };
      await publishBefore(table, settings, { event, days: DAYS_BEFORE_RETIREMENT, notice, nowMs });
    }
    const changesAtMs = nextPriceChange(model, nowMs);
    if (changesAtMs === undefined) continue;
    const notice = modelNotice(settings, { type: 'alert.model.price_change', model: id, atMs: changesAtMs });
    const event = { name: `price-changes#${id}`, atMs: changesAtMs };
    await publishBefore(table, settings, { event, days: DAYS_BEFORE_PRICE_CHANGE, notice, nowMs });
  }
}

function modelNotice(
  { baseUrl }: AlertSettings,
  { type, model, atMs }: { type: 'alert.model.retiring' | 'alert.model.price_change'; model: string; atMs: number },
): Notice {
  const isRetiring = type === 'alert.model.retiring';
  const notice = {
    type,
    subject: isRetiring ? 'Model gateway: a model in use retires' : 'Model gateway: prices of a model in use change',
    lines: [
      isRetiring
        ? `The model "${model}", which you have used in the last days, cannot be called from ${minuteText(atMs)} on.`
        : `The prices of the model "${model}", which you have used in the last days, change at ${minuteText(atMs)}.`,
    ],
    data: { model, at: new Date(atMs).toISOString() },
  };
  return withLink(notice, consoleUrl(baseUrl, `models/${encodeURIComponent(model)}`));
}
