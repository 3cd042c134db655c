import { Option, type Command } from 'commander';
import { createKey, deleteKey, updateKey } from '../../../lambdas/management/keys.ts';
import { nameRule } from '../../../lambdas/management/rules.ts';
import { findWorkspace } from '../../../lambdas/management/workspaces.ts';
import type { Money } from '../../../lambdas/money/money.ts';
import { invalidRequest } from '../../../lambdas/platform/errors.ts';
import { readCounter, readCounters } from '../../../lambdas/store/counters/counters.ts';
import { allKeys, inferenceKeysOf, managementKeysOf } from '../../../lambdas/store/accounts/key-directory.ts';
import {
  keyKinds,
  limitResets,
  type ApiKey,
  type KeyKind,
  type KeyTags,
  type LimitReset,
} from '../../../lambdas/store/accounts/keys.ts';
import {
  limitOption,
  parseAmount,
  parseFuture,
  parseLimit,
  textBy,
  type LimitArgument,
} from '../command-line/arguments.ts';
import { addKeySettingsCommands } from './key-settings-commands.ts';
import { changedTags, parseTag } from './key-tags.ts';
import { namedKey, naming, readKeys, type KeyOption } from './named-key.ts';
import { operatorPepper } from '../session/operator-pepper.ts';
import type { Row } from '../../shared/output.ts';
import { keyRow, keyTableRow } from './rows.ts';
import { onAccount, type Session } from '../session/session.ts';

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('inference keys of clients, and management keys');
  keys
    .command('create')
    .description('create a key; its secret is printed only now')
    .requiredOption('--name <name>', '', textBy(nameRule))
    .addOption(new Option('--kind <kind>').choices([...keyKinds]).default('inference'))
    .option('--workspace <id or slug>', 'for inference keys', 'default')
    .option('--member <id>', 'member that the key belongs to: its budgets apply, and the key sees its data')
    .option('--limit <rub>', 'spending limit in roubles; 0 blocks the key', parseAmount)
    .addOption(new Option('--limit-reset <period>', 'when the limit resets (default: never)').choices([...limitResets]))
    .option('--expires <ISO time>', 'time at which the key stops working', parseFuture)
    .option('--tag <name=value>', 'a tag for reports, such as project=search; may be repeated', parseTag)
    .action(onAccount(issueKey));
  keys
    .command('list')
    .description('list the keys of a workspace and the management keys of the account, with their spending')
    .addOption(new Option('--kind <kind>', 'list only this kind').choices([...keyKinds]))
    .option('--workspace <id or slug>', 'for inference keys', 'default')
    .action(onAccount(keyRows, { shown: keyTableRow }));
  naming(keys.command('disable'))
    .description('disable a key; takes effect within seconds')
    .action(onAccount((session, given: KeyOption) => setDisabled(session, given, true)));
  naming(keys.command('enable'))
    .description('enable a disabled key')
    .action(onAccount((session, given: KeyOption) => setDisabled(session, given, false)));
  naming(keys.command('delete')).description('delete a key; its history is kept').action(onAccount(revokeKey));
  naming(keys.command('limit'))
    .description('set or remove the spending limit of a key; past spending still counts')
    .option('--limit <rub or none>', 'default: unchanged', parseLimit)
    .addOption(
      new Option('--limit-reset <period>', 'when the limit resets (default: unchanged)').choices([
        ...limitResets,
        'never',
      ]),
    )
    .action(onAccount(setLimit));
  addKeySettingsCommands(keys);
}

interface KeyListOptions {
  kind?: KeyKind;
  workspace: string;
}

interface NewKeyOptions {
  kind: KeyKind;
  workspace: string;
  name: string;
  member?: string;
  limit?: Money;
  limitReset?: LimitReset;
  expires?: string;
  tag?: KeyTags;
}

interface LimitOptions extends KeyOption {
  limit?: LimitArgument;
  limitReset?: LimitReset | 'never';
}

async function issueKey(session: Session, given: NewKeyOptions): Promise<Row> {
  const { table, accountId, changes } = session;
  const { kind, name, limit, limitReset } = given;
  if (kind === 'management' && limit !== undefined) {
    throw invalidRequest('--limit', 'is not allowed for management keys, because they cannot spend');
  }
  if (kind === 'management' && given.member !== undefined) {
    throw invalidRequest('--member', 'is not allowed for management keys, because they belong to the account');
  }
  if (limitReset !== undefined && limit === undefined) throw invalidRequest('--limit-reset', 'requires --limit');
  const workspace = kind === 'inference' ? await findWorkspace(table, accountId, given.workspace) : undefined;
  const { key, secret } = await createKey(changes, await operatorPepper(session), {
    kind,
    workspaceId: workspace?.id,
    memberId: workspace && given.member,
    name,
    limit,
    limitReset,
    expiresAt: given.expires,
    ...changedTags({}, given.tag),
  });
  return { key: secret, ...keyRow(key) };
}

async function keyRows({ table, accountId }: Session, { kind, workspace }: KeyListOptions) {
  const { id: workspaceId } = await findWorkspace(table, accountId, workspace);
  const views = {
    inference: inferenceKeysOf({ workspaceId, includeDisabled: true }),
    management: managementKeysOf(accountId),
  };
  const hashes = await Promise.all(
    (kind ? [kind] : keyKinds).map((one) => Array.fromAsync(allKeys(table, views[one]))),
  );
  const keys = await readKeys(table, hashes.flat());
  const counterOf = await readCounters(
    table,
    'key',
    keys.map(({ hash }) => hash),
  );
  return keys.map((key) => keyRow(key, counterOf(key.hash)));
}

async function setDisabled(session: Session, { key: named }: KeyOption, disabled: boolean): Promise<Row> {
  const { hash } = await namedKey(session, named);
  return changedKey(session, await updateKey(session.changes, { hash }, { disabled }));
}

async function setLimit(session: Session, { key: named, limit, limitReset }: LimitOptions): Promise<Row> {
  if (limit === undefined && limitReset === undefined)
    throw invalidRequest('--limit', 'is missing; pass it or --limit-reset');
  const key = await namedKey(session, named);
  const { hash } = key;
  if (key.kind === 'management')
    throw invalidRequest('--key', 'is a management key, which cannot spend; name an inference key');
  // A stored reset period would take effect if the key got a limit later.
  if (limit === undefined && limitReset !== 'never' && key.limit === undefined) {
    throw invalidRequest('--limit-reset', 'requires --limit, because the key has no limit');
  }
  const reset = limitReset ?? (limit === 'none' ? 'never' : undefined);
  const change = {
    ...(limit === undefined ? {} : { limit: limitOption(limit) }),
    ...(reset === undefined ? {} : { limitReset: reset === 'never' ? null : reset }),
  };
  return changedKey(session, await updateKey(session.changes, { hash }, change));
}

async function changedKey({ table }: Session, key: ApiKey): Promise<Row> {
  return keyRow(key, await readCounter(table, { kind: 'key', id: key.hash }));
}

async function revokeKey(session: Session, { key: named }: KeyOption): Promise<Row> {
  const { hash, name } = await namedKey(session, named);
  await deleteKey(session.changes, { hash });
  return { hash, name, deleted: true };
}
