import { numberFrom, type Item } from './table.ts';

/** Which providers may see a prompt, as one of account, workspace and key says it. */
export interface Privacy {
  /** Counts changes; 0 while nothing was ever set. */
  version: number;
  blockLogging: boolean;
  blockTraining: boolean;
  /** Ids of providers; empty: all of them. */
  allowedProviders: string[];
  ignoredProviders: string[];
}

/** What a request may change of it; null clears. */
export type PrivacyChange = {
  [Field in Exclude<keyof Privacy, 'version'>]?: Privacy[Field] | null | undefined;
};

export const openPrivacy: Privacy = {
  version: 0,
  blockLogging: false,
  blockTraining: false,
  allowedProviders: [],
  ignoredProviders: [],
};

export function privacyAttribute(privacy: Privacy): Item {
  return {
    version: privacy.version,
    block_logging: privacy.blockLogging,
    block_training: privacy.blockTraining,
    allowed_providers: privacy.allowedProviders,
    ignored_providers: privacy.ignoredProviders,
  };
}

export function privacyFrom(attribute: unknown): Privacy {
  if (attribute === undefined) return openPrivacy;
  const stored = attribute as Item;
  return {
    version: numberFrom(stored['version']),
    blockLogging: stored['block_logging'] === true,
    blockTraining: stored['block_training'] === true,
    allowedProviders: stored['allowed_providers'] as string[],
    ignoredProviders: stored['ignored_providers'] as string[],
  };
}

/** Merges a change; null as a whole clears every rule. The version moves only when a rule does. */
export function changePrivacy(privacy: Privacy, change: PrivacyChange | null): Privacy {
  const rules = { ...openPrivacy, version: privacy.version };
  const changed: Privacy =
    change === null
      ? rules
      : {
          version: privacy.version,
          blockLogging: merged(privacy, change, 'blockLogging'),
          blockTraining: merged(privacy, change, 'blockTraining'),
          allowedProviders: merged(privacy, change, 'allowedProviders'),
          ignoredProviders: merged(privacy, change, 'ignoredProviders'),
        };
  const isSame = JSON.stringify(privacyAttribute(changed)) === JSON.stringify(privacyAttribute(privacy));
  return isSame ? privacy : { ...changed, version: privacy.version + 1 };
}

function merged<Field extends Exclude<keyof Privacy, 'version'>>(
  privacy: Privacy,
  change: PrivacyChange,
  field: Field,
): Privacy[Field] {
  const value = change[field];
  if (value === undefined) return privacy[field];
  return value === null ? openPrivacy[field] : value;
}
