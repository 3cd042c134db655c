/** The type, the change and the audit entry of most settings of a key derive from one list. */

import { Money } from '../money/money.ts';
import type { ApiKey } from '../store/accounts/keys.ts';
import { noPrivacyLimits, privacyAttribute, type PrivacyChange } from '../store/accounts/privacy.ts';
import { changeSensitiveData, noSensitiveData, type SensitiveDataChange } from '../store/accounts/sensitive-data.ts';
import type { Item } from '../store/table/table.ts';
import { noUseLimits } from '../store/accounts/use-limits.ts';
import type { ChangeContext } from './change.ts';
import { changedPrivacy } from './privacy.ts';
import { useLimitSettings } from './use-limits.ts';

/**
 * A change replaces the value, and null clears it. `field` is the name in the API, and `auditedAs` the name in the
 * audit log.
 */
const plainSettings = {
  limit: { field: 'limit', auditedAs: 'limit_rub' },
  limitReset: { field: 'limit_reset', auditedAs: 'limit_reset' },
  expiresAt: { field: 'expires_at', auditedAs: 'expires_at' },
  tags: { field: 'tags', auditedAs: 'tags' },
  ...useLimitSettings,
} as const satisfies Partial<Record<keyof ApiKey, { field: string; auditedAs: string }>>;

type PlainName = keyof typeof plainSettings;
const plainNames = Object.keys(plainSettings) as PlainName[];

/** null clears a setting. undefined keeps its value or, in a new key, means the default. */
export type KeySettings = { [Name in PlainName]?: ApiKey[Name] | null | undefined } & {
  privacy?: PrivacyChange | null | undefined;
  sensitiveData?: SensitiveDataChange | null | undefined;
};

/** Settings with the API's field names. */
type KeySettingsBody = {
  [Name in PlainName as (typeof plainSettings)[Name]['field']]?: KeySettings[Name];
} & { privacy?: KeySettings['privacy']; sensitive_data?: KeySettings['sensitiveData'] };

type SettingsOfKey = Pick<ApiKey, PlainName | 'privacy' | 'sensitiveData'>;

export const defaultSettings: SettingsOfKey = {
  limit: undefined,
  limitReset: undefined,
  expiresAt: undefined,
  tags: undefined,
  ...noUseLimits,
  privacy: noPrivacyLimits,
  sensitiveData: noSensitiveData,
};

/** Returns the settings in a body of the API. */
export function keySettingsOf(body: KeySettingsBody): KeySettings {
  const plain = plainNames.map((name) => [name, body[plainSettings[name].field]]);
  return { ...Object.fromEntries(plain), privacy: body.privacy, sensitiveData: body.sensitive_data } as KeySettings;
}

/** Returns the settings of a key after a change. Throws a 400 for an unknown provider in privacy settings. */
export async function changedSettings(
  context: ChangeContext,
  before: SettingsOfKey,
  change: KeySettings,
): Promise<SettingsOfKey> {
  const { sensitiveData } = change;
  const plain = plainNames.map((name) => [
    name,
    change[name] === undefined ? before[name] : (change[name] ?? undefined),
  ]);
  return {
    ...(Object.fromEntries(plain) as Pick<ApiKey, PlainName>),
    privacy: await changedPrivacy(context, before.privacy, change.privacy),
    sensitiveData:
      sensitiveData === undefined ? before.sensitiveData : changeSensitiveData(before.sensitiveData, sensitiveData),
  };
}

/**
 * Returns the settings for the audit log. The terms of the dictionary are secrets, so the log gets only their number.
 */
export function settingsForAudit(key: SettingsOfKey): Item {
  const { dictionary, ...sensitiveData } = key.sensitiveData;
  const plain = plainNames.map((name) => [plainSettings[name].auditedAs, auditValue(key[name])]);
  return {
    ...Object.fromEntries(plain),
    privacy: privacyAttribute(key.privacy),
    sensitive_data: { ...sensitiveData, dictionary_count: dictionary.length },
  };
}

function auditValue(value: unknown): unknown {
  return value instanceof Money ? value.toString() : (value ?? null);
}
