import { InvalidArgumentError, type Command } from 'commander';
import {
  allowedModelRule,
  MAX_ALLOWED,
  MAX_RATES,
  MAX_REQUIRED,
  NETWORK_RULE,
  tagNameRule,
  tagValueRule,
} from '../../../lambdas/management/rules.ts';
import type { UseLimitsChange } from '../../../lambdas/management/use-limits.ts';
import type { RequiredTags } from '../../../lambdas/store/accounts/use-limits.ts';
import { isNetwork } from '../../../lambdas/platform/networks.ts';
import { obeys } from '../../../lambdas/platform/text-rule.ts';
import { wholeNumberUpTo } from '../command-line/arguments.ts';

/** "none" removes a list of models or networks. It stays a text: commander treats null as a missing argument. */
type ListArgument = string[] | 'none';

type TagsArgument = RequiredTags | 'none';
type RateArgument = number | 'none';

export interface UseLimitOptions {
  models?: ListArgument;
  networks?: ListArgument;
  rpm?: RateArgument;
  tpm?: RateArgument;
  parallel?: RateArgument;
  requireTag?: TagsArgument;
}

/**
 * Adds the options of use limits to a command.
 * @param whose phrase for the limited keys, such as "its keys", for the descriptions of the options
 */
export function withUseLimits(command: Command, whose: string): Command {
  return command
    .option('--models <list or none>', `models that ${whose} may call: ids and patterns with *, by comma`, parseModels)
    .option('--networks <list or none>', `networks that may use ${whose}: addresses and CIDR, by comma`, parseNetworks)
    .option('--rpm <number or none>', 'requests per minute of a key', rateUpTo(MAX_RATES.rpm_limit))
    .option('--tpm <number or none>', 'tokens per minute of a key', rateUpTo(MAX_RATES.tpm_limit))
    .option('--parallel <number or none>', 'running requests of a key', rateUpTo(MAX_RATES.parallel_limit))
    .option(
      '--require-tag <name=values or none>',
      `tag that each request of ${whose} must have, and its allowed values by comma (repeatable)`,
      addRequiredTag,
    );
}

export function useLimitChange(options: UseLimitOptions): UseLimitsChange {
  const { models, networks, rpm, tpm, parallel, requireTag } = options;
  return {
    allowedModels: orNone(models),
    allowedNetworks: orNone(networks),
    rpmLimit: orNone(rpm),
    tpmLimit: orNone(tpm),
    parallelLimit: orNone(parallel),
    requiredTags: orNone(requireTag),
  };
}

function orNone<Value>(given: Value | 'none' | undefined): Value | null | undefined {
  return given === 'none' ? null : given;
}

function rateUpTo(most: number): (text: string) => RateArgument {
  return (text) => (text === 'none' ? text : wholeNumberUpTo(most)(text));
}

function parseModels(text: string): ListArgument {
  return parseList(text, (entry) => obeys(allowedModelRule, entry), allowedModelRule.says);
}

function parseNetworks(text: string): ListArgument {
  return parseList(text, isNetwork, NETWORK_RULE);
}

/** Adds a required tag: `project=lake,core`, or `team` for any value. */
function addRequiredTag(text: string, earlier: TagsArgument = {}): TagsArgument {
  if (text === 'none') return text;
  const [name = '', ...rest] = text.split('=');
  const values =
    rest.length === 0
      ? null
      : rest
          .join('=')
          .split(',')
          .map((value) => value.trim());
  if (!obeys(tagNameRule, name)) throw new InvalidArgumentError(`The name ${tagNameRule.says}.`);
  const invalid = values?.find((value) => !obeys(tagValueRule, value));
  if (invalid !== undefined) throw new InvalidArgumentError(`"${invalid}" ${tagValueRule.says}.`);
  const tags = { ...(earlier === 'none' ? {} : earlier), [name]: values };
  const { tags: maxTags, values: maxValues, bytes } = MAX_REQUIRED;
  if (Object.keys(tags).length > maxTags) throw new InvalidArgumentError(`Use at most ${maxTags} tags.`);
  if (values && values.length > maxValues) throw new InvalidArgumentError(`Use at most ${maxValues} values.`);
  if (Buffer.byteLength(JSON.stringify(tags)) > bytes) throw new InvalidArgumentError('The tags take more than 8 KB.');
  return tags;
}

function parseList(text: string, isValid: (entry: string) => boolean, says: string): ListArgument {
  if (text === 'none') return text;
  const entries = text.split(',').map((entry) => entry.trim());
  const invalid = entries.find((entry) => !isValid(entry));
  if (invalid !== undefined) throw new InvalidArgumentError(`"${invalid}" ${says}.`);
  if (entries.length > MAX_ALLOWED) throw new InvalidArgumentError(`Use at most ${MAX_ALLOWED} entries.`);
  return entries;
}
