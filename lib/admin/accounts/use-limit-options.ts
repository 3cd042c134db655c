/** Limits on the use of keys as command-line options, for example --models sandbox/gpt* --networks 192.0.2.0/24 */

import { InvalidArgumentError, type Command } from 'commander';
import { allowedModelRule, MAX_ALLOWED, NETWORK_RULE } from '../../../lambdas/management/rules.ts';
import type { UseLimitsChange } from '../../../lambdas/management/use-limits.ts';
import { isNetwork } from '../../../lambdas/platform/networks.ts';
import { obeys } from '../../../lambdas/platform/text-rule.ts';

/** Entries of a list; "none" removes the list. It stays a text, because commander treats null as a missing argument. */
type ListArgument = string[] | 'none';

export interface UseLimitOptions {
  models?: ListArgument;
  networks?: ListArgument;
}

/**
 * Adds the options of use limits to a command.
 * @param whose the keys that the limits apply to, for the descriptions
 */
export function withUseLimits(command: Command, whose: string): Command {
  return command
    .option('--models <list or none>', `models that ${whose} may call: ids and patterns with *, by comma`, parseModels)
    .option('--networks <list or none>', `networks that may use ${whose}: addresses and CIDR, by comma`, parseNetworks);
}

export function useLimitChange({ models, networks }: UseLimitOptions): UseLimitsChange {
  return { allowedModels: listOption(models), allowedNetworks: listOption(networks) };
}

function listOption(given: ListArgument | undefined): string[] | null | undefined {
  return given === 'none' ? null : given;
}

function parseModels(text: string): ListArgument {
  return parseList(text, (entry) => obeys(allowedModelRule, entry), allowedModelRule.says);
}

function parseNetworks(text: string): ListArgument {
  return parseList(text, isNetwork, NETWORK_RULE);
}

function parseList(text: string, isValid: (entry: string) => boolean, says: string): ListArgument {
  if (text === 'none') return text;
  const entries = text.split(',').map((entry) => entry.trim());
  const invalid = entries.find((entry) => !isValid(entry));
  if (invalid !== undefined) throw new InvalidArgumentError(`"${invalid}" ${says}.`);
  if (entries.length > MAX_ALLOWED) throw new InvalidArgumentError(`Use at most ${MAX_ALLOWED} entries.`);
  return entries;
}
