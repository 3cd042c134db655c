/** Rules for tags of keys and requests. */

import { shortTextRule, type TextRule } from './text-rule.ts';

/** Rule for names of tags. */
export const tagNameRule: TextRule = {
  minLength: 1,
  maxLength: 40,
  pattern: /^[a-z][a-z0-9_-]*$/,
  says: 'must be 1 to 40 lower-case letters, digits, _ and -, beginning with a letter',
};
export const tagValueRule = shortTextRule(1, 100);

/** Maximum number of tags that a request states. Tags of its key and tags of mapped fields do not count. */
export const MAX_REQUEST_TAGS = 8;
