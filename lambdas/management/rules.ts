/** Rules for names chosen by people, for the API and the operator's command line. */

import { shortTextRule, type TextRule } from '../platform/text-rule.ts';

/** Ids of workspaces are UUIDs. A slug must not look like one, because a path may contain either. */
export const slugRule: TextRule = {
  minLength: 1,
  maxLength: 50,
  pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/,
  not: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  says: 'must be 1 to 50 lower-case letters and digits, with single dashes between them',
};

/** Ids of members appear in paths, in which "add" and "remove" are routes. */
export const memberIdRule: TextRule = {
  minLength: 1,
  maxLength: 128,
  pattern: /^(?!(?:add|remove)$)[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}$/,
  says: 'must be 1 to 128 Latin letters, digits and . _ @ : + -, beginning with a letter or digit, and neither "add" nor "remove"',
};

/** Names and descriptions of accounts, workspaces and keys. */
export const nameRule = shortTextRule(1, 100);
export const descriptionRule = shortTextRule(0, 500);

/** Tags are columns of reports, and commands name them as tag:<name>. */
export const tagNameRule: TextRule = {
  minLength: 1,
  maxLength: 40,
  pattern: /^[a-z][a-z0-9_-]*$/,
  says: 'must be 1 to 40 lower-case letters, digits, _ and -, beginning with a letter',
};
export const tagValueRule = shortTextRule(1, 100);
export const MAX_TAGS = 10;

/** For payments. */
export const noteRule = shortTextRule(1, 200);

/** References of payments are a part of their records' keys. */
export const referenceRule: TextRule = {
  minLength: 1,
  maxLength: 100,
  pattern: /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/,
  says: 'must be 1 to 100 Latin letters, digits and . _ : / -, beginning with a letter or digit',
};
