/** Tags of keys, as commands take them: --tag project=search --tag team= */

import { InvalidArgumentError } from 'commander';
import { MAX_TAGS, tagNameRule, tagValueRule } from '../../../lambdas/management/rules.ts';
import { invalidRequest } from '../../../lambdas/platform/errors.ts';
import { obeys } from '../../../lambdas/platform/text-rule.ts';
import type { KeyTags } from '../../../lambdas/store/accounts/keys.ts';

/** Adds a tag to those that were named before it. One without a value has an empty one. */
export function parseTag(text: string, named: KeyTags = {}): KeyTags {
  const at = text.indexOf('=');
  const [name, value] = [text.slice(0, at), text.slice(at + 1).trim()];
  if (at < 1) throw new InvalidArgumentError('Use a name and a value, for example project=search.');
  if (!obeys(tagNameRule, name)) throw new InvalidArgumentError(`The name ${tagNameRule.says}.`);
  if (value !== '' && !obeys(tagValueRule, value)) throw new InvalidArgumentError(`The value ${tagValueRule.says}.`);
  return { ...named, [name]: value };
}

/**
 * The tags of a key with those that are named, as a change gives them; one with an empty value is removed.
 * @throws {GatewayError} 400 for more than a key has
 */
export function changedTags(before: KeyTags = {}, named?: KeyTags): { tags?: KeyTags | null } {
  if (named === undefined) return {};
  const tags = Object.entries({ ...before, ...named }).filter(([, value]) => value !== '');
  if (tags.length > MAX_TAGS) {
    throw invalidRequest('--tag', `makes ${tags.length} tags of the key: at most ${MAX_TAGS} are kept`);
  }
  return { tags: tags.length === 0 ? null : Object.fromEntries(tags) };
}
