/** Rules for settings, for the API and the operator's command line. */

import { shortTextRule, type TextRule } from '../platform/text-rule.ts';

/**
 * Rule for slugs. A path may contain a workspace's id, which is a UUID, or its slug. A slug must therefore not look
 * like a UUID.
 */
export const slugRule: TextRule = {
  minLength: 1,
  maxLength: 50,
  pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/,
  not: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  says: 'must be 1 to 50 lower-case letters and digits, with single dashes between them',
};

/** Rule for ids of members. "add" and "remove" are excluded, because they are routes at the same position of a path. */
export const memberIdRule: TextRule = {
  minLength: 1,
  maxLength: 128,
  pattern: /^(?!(?:add|remove)$)[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}$/,
  says: 'must be 1 to 128 Latin letters, digits and . _ @ : + -, beginning with a letter or digit, and neither "add" nor "remove"',
};

/** Rule for names of accounts, workspaces and keys. */
export const nameRule = shortTextRule(1, 100);
export const descriptionRule = shortTextRule(0, 500);

export { tagNameRule, tagValueRule } from '../platform/tag-rules.ts';
export const MAX_TAGS = 10;

export const noteRule = shortTextRule(1, 200);

/** Rule for the reference of a payment, which is a part of the key of its record. */
export const referenceRule: TextRule = {
  minLength: 1,
  maxLength: 100,
  pattern: /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/,
  says: 'must be 1 to 100 Latin letters, digits and . _ : / -, beginning with a letter or digit',
};

/** Rule for entries of `allowed_models`, in which a `*` stands for any text. */
export const allowedModelRule: TextRule = {
  minLength: 1,
  maxLength: 128,
  pattern: /^[a-z0-9*~][a-z0-9*._/:~-]*$/,
  says: 'must be the id of a model, or a pattern with * for any text, for example sandbox/claude or sandbox/gpt*',
};
/** Maximum number of entries in `allowed_models`, and in `allowed_networks`. */
export const MAX_ALLOWED = 100;
export const NETWORK_RULE =
  'must be an IPv4 or IPv6 address, or a block of them in CIDR notation, such as 192.0.2.0/24';

/**
 * Maximum number of tags, of values per tag, and of bytes of all tags as JSON. It is low, because each request reads
 * them.
 */
export const MAX_REQUIRED = { tags: 8, values: 50, bytes: 8_192 } as const;

/** Maximum values of the limits on requests and tokens per minute, and on running requests. The minimum is 1. */
export const MAX_RATES = { rpm_limit: 1_000_000, tpm_limit: 1_000_000_000, parallel_limit: 100_000 } as const;
