import type { Payer } from '../store/accounts/payer.ts';
import { alertOwnerName, type AlertOwner, type AlertSettings } from '../store/alerts/alert-settings.ts';
import type { ScopeId } from '../store/counters/counters.ts';

/** Returns the owners whose settings may apply to a payer, nearest first. */
export function alertOwnersOf({ accountId, workspaceId, keyHash }: Payer): AlertOwner[] {
  return [
    { kind: 'key', id: keyHash },
    { kind: 'workspace', id: workspaceId },
    { kind: 'account', id: accountId },
  ];
}

/**
 * Returns the settings of the nearest owner that has settings. For a key, the owners are the key, its workspace and its
 * account. For a workspace or a member, they are the workspace and the account; for other scopes, only the account.
 * @param settings existing settings, by `alertOwnerName`
 */
export function settingsOfScope(
  { kind }: ScopeId,
  payer: Payer,
  settings: ReadonlyMap<string, AlertSettings>,
): AlertSettings | undefined {
  const owners = alertOwnersOf(payer);
  const nearest = kind === 'key' ? 0 : kind === 'workspace' || kind === 'member' ? 1 : 2;
  return nearestSettings(owners.slice(nearest), settings);
}

/** Returns the settings of the first owner that has settings. */
export function nearestSettings(
  owners: readonly AlertOwner[],
  settings: ReadonlyMap<string, AlertSettings>,
): AlertSettings | undefined {
  return owners.map((owner) => settings.get(alertOwnerName(owner))).find((one) => one !== undefined);
}

export function hasDestination({ webhookUrl, email }: AlertSettings): boolean {
  return webhookUrl !== undefined || email !== undefined;
}
