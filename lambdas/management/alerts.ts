import { hasDestination, nearestSettings } from '../alerts/alert-owners.ts';
import { DEFAULT_LOW_BALANCE_PERCENT } from '../alerts/check-balance.ts';
import { DEFAULT_THRESHOLDS } from '../alerts/thresholds.ts';
import type { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';
import { invalidRequest } from '../platform/errors.ts';
import { fetchFaultTexts } from '../platform/fetch/fetch-faults.ts';
import { resolvePublicUrl, type PublicUrlRules } from '../platform/fetch/public-url.ts';
import type { Mails } from '../platform/mails.ts';
import {
  alertSettingsPut,
  alertSettingsRemoval,
  readSettingsOfOwners,
  type AlertFormat,
  type AlertOwner,
  type AlertSettings,
} from '../store/alerts/alert-settings.ts';
import { alertAccountPut } from '../store/alerts/alert-accounts.ts';
import { balanceAlarmRemoval } from '../store/alerts/balance-alarm.ts';
import type { Item, Table } from '../store/table/table.ts';
import { subscribeAddress } from './alert-addresses.ts';
import { checkVersion, commitChange, retryOnConflict, type ChangeContext } from './change.ts';
import { findKey } from './keys.ts';
import { webhookUrlOf } from './webhook-secrets.ts';
import { checkActive, findWorkspace } from './workspaces.ts';

/** New settings of an owner, which replace all earlier settings. Without any field, the settings are removed. */
export interface AlertsInput {
  thresholds?: readonly number[] | null | undefined;
  webhookUrl?: string | null | undefined;
  format?: AlertFormat | null | undefined;
  chatId?: string | null | undefined;
  email?: string | null | undefined;
  lowBalance?: Money | null | undefined;
  lowBalancePercent?: number | null | undefined;
}

export interface AlertsTools {
  mails: Mails | undefined;
  urlRules: PublicUrlRules;
  /** Base URL of the API, for links to the console; undefined keeps the stored URL. */
  baseUrl: string | undefined;
}

/** Settings in force for an owner. */
export interface AppliedAlerts {
  /** Owner whose settings apply: the owner itself, or the nearest owner above it that has settings. */
  from: AlertOwner | undefined;
  settings: Pick<
    AlertSettings,
    'thresholds' | 'webhookUrl' | 'format' | 'chatId' | 'email' | 'lowBalance' | 'lowBalancePercent'
  >;
  /** Version of the owner's own settings; 0 if it has none. */
  version: number;
}

/** An owner, and the owners above it, nearest first. Their settings apply if the owner itself has no settings. */
export interface AlertOwners {
  owner: AlertOwner;
  above: AlertOwner[];
}

export function accountAlerts(accountId: string): AlertOwners {
  return { owner: { kind: 'account', id: accountId }, above: [] };
}

/**
 * Returns a workspace as an owner of alerts, with the owner above it.
 * @throws {GatewayError} 404 if the workspace does not exist; 409 if an archived workspace is to be changed
 */
export async function workspaceAlerts(
  table: Table,
  accountId: string,
  idOrSlug: string,
  use: 'read' | 'change',
): Promise<AlertOwners> {
  const workspace = await findWorkspace(table, accountId, idOrSlug);
  if (use === 'change') checkActive(workspace);
  return { owner: { kind: 'workspace', id: workspace.id }, above: [accountAlerts(accountId).owner] };
}

/**
 * Returns a key as an owner of alerts, with the owners above it.
 * @throws {GatewayError} 404 if the account has no such inference key
 */
export async function keyAlerts(table: Table, accountId: string, hash: string): Promise<AlertOwners> {
  const { workspaceId } = await findKey(table, accountId, hash, 'inference');
  const workspace: AlertOwner = { kind: 'workspace', id: workspaceId! };
  return { owner: { kind: 'key', id: hash }, above: [workspace, accountAlerts(accountId).owner] };
}

/** Returns the settings in force for an owner. */
export async function readAppliedAlerts(
  table: Table,
  accountId: string,
  { owner, above }: AlertOwners,
): Promise<AppliedAlerts> {
  const owners = [owner, ...above];
  const all = await readSettingsOfOwners(table, accountId, owners);
  const settings = nearestSettings(owners, all);
  const own = nearestSettings([owner], all);
  const from = settings && ({ kind: settings.ownerKind, id: settings.ownerId } as const);
  return { from, settings: settings ?? defaultAlerts, version: own?.version ?? 0 };
}

const defaultAlerts: AppliedAlerts['settings'] = {
  thresholds: DEFAULT_THRESHOLDS,
  webhookUrl: undefined,
  format: 'standard',
  chatId: undefined,
  email: undefined,
  lowBalance: undefined,
  lowBalancePercent: DEFAULT_LOW_BALANCE_PERCENT,
};

/**
 * Replaces or removes the settings of an owner, with an audit entry. If the new settings have the stored URL in its
 * masked form, the stored URL is kept. The audit entry has only the host of a webhook, because the rest of the URL may
 * be a secret.
 * @throws {GatewayError} 400 for a URL or an e-mail address that cannot be used, or settings that do not fit together;
 *   409 if there is no room for another address, or if other changes keep interfering; 412 if the version differs from
 *   `expectedVersion`
 */
export async function setAlerts(
  context: ChangeContext,
  { owner, above }: AlertOwners,
  input: AlertsInput,
  { mails, urlRules, baseUrl, expectedVersion }: AlertsTools & { expectedVersion?: number | undefined },
): Promise<AppliedAlerts> {
  const { table, accountId } = context;
  checkTogether(input);
  return retryOnConflict(async () => {
    const before = (await readSettingsOfOwners(table, accountId, [owner])).values().next().value;
    checkVersion(expectedVersion, before?.version ?? 0);
    const sent = { webhookUrl: input.webhookUrl ?? undefined, format: input.format ?? 'standard' };
    const webhookUrl = webhookUrlOf(sent, before);
    if (webhookUrl) await checkWebhookUrl(webhookUrl, urlRules);
    if (input.email && input.email !== before?.email)
      await subscribeAddress(table, accountId, { mails, email: input.email });
    const after = hasNoAlerts(input)
      ? undefined
      : settingsFrom({ ...input, webhookUrl }, { accountId, owner, before, baseUrl });
    if (!after && !before) return readAppliedAlerts(table, accountId, { owner, above });
    const change = {
      action: after ? 'alerts.set' : 'alerts.remove',
      target: `${owner.kind} ${owner.id}`,
      before: before && alertsForAudit(before),
      after: after && alertsForAudit(after),
    };
    const write = after ? alertSettingsPut(table, after) : alertSettingsRemoval(table, before!);
    const listed = after && alertAccountPut(table, accountId);
    // A low balance before the first destination was never reported, so the next check must send a notice.
    const isFirst = owner.kind === 'account' && after && !(before && hasDestination(before));
    const alarm = isFirst ? balanceAlarmRemoval(table, accountId) : undefined;
    const outcome = await commitChange(context, change, { alerts: write, listed, alarm });
    if (!outcome.committed) return undefined;
    return after
      ? { from: owner, settings: after, version: after.version }
      : readAppliedAlerts(table, accountId, { owner, above });
  });
}

function hasNoAlerts(input: AlertsInput): boolean {
  return Object.values(input).every((value) => value === undefined || value === null);
}

function settingsFrom(
  input: AlertsInput,
  {
    accountId,
    owner,
    before,
    baseUrl,
  }: {
    accountId: string;
    owner: AlertOwner;
    before: AlertSettings | undefined;
    baseUrl: string | undefined;
  },
): AlertSettings {
  return {
    accountId,
    ownerKind: owner.kind,
    ownerId: owner.id,
    thresholds: [...new Set(input.thresholds ?? DEFAULT_THRESHOLDS)].sort((a, b) => a - b),
    webhookUrl: input.webhookUrl ?? undefined,
    format: input.format ?? 'standard',
    chatId: input.chatId ?? undefined,
    email: input.email ?? undefined,
    baseUrl: baseUrl ?? before?.baseUrl,
    lowBalance: input.lowBalance ?? undefined,
    lowBalancePercent: input.lowBalancePercent ?? undefined,
    version: (before?.version ?? 0) + 1,
    updatedAt: new Date(nowMs()).toISOString(),
  };
}

function checkTogether({ webhookUrl, format, chatId, lowBalance, lowBalancePercent }: AlertsInput): void {
  if (format && format !== 'standard' && !webhookUrl)
    throw invalidRequest('webhook_url', `is required for the format "${format}"`);
  if (format === 'telegram' && !chatId) throw invalidRequest('chat_id', 'is required for the format "telegram"');
  if (chatId && format !== 'telegram') throw invalidRequest('chat_id', 'is only for the format "telegram"');
  if (lowBalance && lowBalancePercent)
    throw invalidRequest('low_balance_percent', 'cannot be set together with low_balance_rub');
}

async function checkWebhookUrl(url: string, rules: PublicUrlRules): Promise<void> {
  const checked = await resolvePublicUrl(url, rules);
  // A host that cannot be resolved now is accepted, because each attempt to deliver resolves it again.
  if (typeof checked === 'string' && checked !== 'unresolved')
    throw invalidRequest('webhook_url', fetchFaultTexts[checked]);
}

function alertsForAudit(settings: AlertSettings): Item {
  const { webhookUrl } = settings;
  return {
    thresholds: settings.thresholds,
    webhook_host: webhookUrl === undefined ? null : new URL(webhookUrl).host,
    format: settings.format,
    chat_id: settings.chatId ?? null,
    email: settings.email ?? null,
    low_balance_rub: settings.lowBalance?.toString() ?? null,
    low_balance_percent: settings.lowBalancePercent ?? null,
  };
}
