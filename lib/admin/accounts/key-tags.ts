import { InvalidArgumentError } from 'commander';
import { MAX_TAGS, tagNameRule, tagValueRule } from '../../../lambdas/management/rules.ts';
import { invalidRequest } from '../../../lambdas/platform/errors.ts';
import { obeys } from '../../../lambdas/platform/text-rule.ts';
import type { KeyTags } from '../../../lambdas/store/accounts/keys.ts';

/**
 * Parses one tag, and adds it to the tags of earlier options. An empty value is allowed.
 * @throws {InvalidArgumentError} if the name or value breaks a rule
 */
export function parseTag(text: string, named: KeyTags = {}): KeyTags {
  const at = text.indexOf('=');
  const [name, value] = [text.slice(0, at), text.slice(at + 1).trim()];
  if (at < 1) throw new InvalidArgumentError('Use a name and a value, for example project=search.');
  if (!obeys(tagNameRule, name)) throw new InvalidArgumentError(`The name ${tagNameRule.says}.`);
  if (value !== '' && !obeys(tagValueRule, value)) throw new InvalidArgumentError(`The value ${tagValueRule.says}.`);
  return { ...named, [name]: value };
}

/**
 * Parses an option whose value is a single tag.
 * @throws {InvalidArgumentError} if the name or value is empty or breaks a rule
 */
export function parseOneTag(text: string): { name: string; value: string } {
  const [[name, value] = ['', '']] = Object.entries(parseTag(text));
  if (value === '') throw new InvalidArgumentError('Use a name and a value, for example project=search.');
  return { name, value };
}

/**
 * Returns the change of a key's tags: an empty object if `named` is undefined; `tags` is null if no tag remains. An
 * empty value removes its tag.
 * @throws {GatewayError} 400 if the key would have too many tags
 */
export function changedTags(before: KeyTags = {}, named?: KeyTags): { tags?: KeyTags | null } {
  if (named === undefined) return {};
  const tags = Object.entries({ ...before, ...named }).filter(([, value]) => value !== '');
  if (tags.length > MAX_TAGS) {
    throw invalidRequest('--tag', `would give the key ${tags.length} tags; at most ${MAX_TAGS} are allowed`);
  }
  return { tags: tags.length === 0 ? null : Object.fromEntries(tags) };
}
