/** Limits on the use of keys, in keys, workspaces and members. */

import type { UseLimits } from '../store/accounts/use-limits.ts';
import type { Item } from '../store/table/table.ts';

/** Names of the limits in the API and in the audit log. */
export const useLimitSettings = {
  allowedModels: { field: 'allowed_models', auditedAs: 'allowed_models' },
  allowedNetworks: { field: 'allowed_networks', auditedAs: 'allowed_networks' },
  rpmLimit: { field: 'rpm_limit', auditedAs: 'rpm_limit' },
  tpmLimit: { field: 'tpm_limit', auditedAs: 'tpm_limit' },
  parallelLimit: { field: 'parallel_limit', auditedAs: 'parallel_limit' },
  requiredTags: { field: 'required_tags', auditedAs: 'required_tags' },
} as const satisfies Record<keyof UseLimits, { field: string; auditedAs: string }>;

type Settings = typeof useLimitSettings;
type SettingName = keyof Settings;
const settingNames = Object.keys(useLimitSettings) as SettingName[];

/** null clears a setting; undefined keeps it. */
export type UseLimitsChange = { [Name in SettingName]?: UseLimits[Name] | null | undefined };

/** `Empty` is the value of a setting without a limit. */
export type UseLimitsByField<Empty> = {
  [Name in SettingName as Settings[Name]['field']]: NonNullable<UseLimits[Name]> | Empty;
};

/** Returns the change that a body of the API requests. */
export function useLimitsOf(body: Partial<UseLimitsByField<null | undefined>>): UseLimitsChange {
  return Object.fromEntries(settingNames.map((name) => [name, body[useLimitSettings[name].field]]));
}

export function changedUseLimits(before: UseLimits, change: UseLimitsChange): UseLimits {
  const merged = settingNames.map((name) => [
    name,
    change[name] === undefined ? before[name] : (change[name] ?? undefined),
  ]);
  return Object.fromEntries(merged) as UseLimits;
}

/** Returns the limits for the audit log; null without a limit. */
export function useLimitsForAudit(limits: UseLimits): Item {
  return Object.fromEntries(settingNames.map((name) => [useLimitSettings[name].auditedAs, limits[name] ?? null]));
}

/** Returns the limits with the API's field names; null without a limit. */
export function useLimitsView(limits: UseLimits): UseLimitsByField<null> {
  const fields = settingNames.map((name) => [useLimitSettings[name].field, limits[name] ?? null]);
  return Object.fromEntries(fields) as UseLimitsByField<null>;
}
