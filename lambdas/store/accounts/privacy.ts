import { attribute, count, flag, plain, record, type Field, type RecordOf } from '../table/record.ts';
import type { Item } from '../table/table.ts';

const privacyRecord = record({
  version: count('version'),
  blockLogging: flag('block_logging'),
  blockTraining: flag('block_training'),
  /** Ids of allowed providers. An empty list allows all providers. */
  allowedProviders: plain<string[]>('allowed_providers'),
  ignoredProviders: plain<string[]>('ignored_providers'),
});

/** Rules for the providers that may get a prompt. */
export type Privacy = RecordOf<typeof privacyRecord>;

/** Change of privacy settings, by field; null clears a field, and absent fields stay. */
export type PrivacyChange = {
  [Field in Exclude<keyof Privacy, 'version'>]?: Privacy[Field] | null | undefined;
};

export const noPrivacyLimits: Privacy = {
  version: 0,
  blockLogging: false,
  blockTraining: false,
  allowedProviders: [],
  ignoredProviders: [],
};

export const privacyAttribute = privacyRecord.toItem;

/** Privacy settings as an attribute. If the attribute is absent, all providers are allowed. */
export const privacyField: Field<Privacy> = attribute('privacy', {
  toAttribute: privacyAttribute,
  fromAttribute: (stored) => (stored === undefined ? noPrivacyLimits : privacyRecord.from(stored as Item)),
});

/**
 * Merges a change into privacy settings. A change of null clears every setting. The version changes only if a setting
 * changes.
 */
export function changePrivacy(privacy: Privacy, change: PrivacyChange | null): Privacy {
  const rules = { ...noPrivacyLimits, version: privacy.version };
  const changed: Privacy =
    change === null
      ? rules
      : {
          version: privacy.version,
          blockLogging: mergedPrivacy(privacy, change, 'blockLogging'),
          blockTraining: mergedPrivacy(privacy, change, 'blockTraining'),
          allowedProviders: mergedPrivacy(privacy, change, 'allowedProviders'),
          ignoredProviders: mergedPrivacy(privacy, change, 'ignoredProviders'),
        };
  const isSame = JSON.stringify(privacyAttribute(changed)) === JSON.stringify(privacyAttribute(privacy));
  return isSame ? privacy : { ...changed, version: privacy.version + 1 };
}

function mergedPrivacy<Field extends Exclude<keyof Privacy, 'version'>>(
  privacy: Privacy,
  change: PrivacyChange,
  field: Field,
): Privacy[Field] {
  const value = change[field];
  if (value === undefined) return privacy[field];
  return value === null ? noPrivacyLimits[field] : value;
}
