import { InvalidArgumentError, Option, type Command } from 'commander';
import { createKey, deleteKey, findKey, updateKey } from '../../lambdas/management/keys.ts';
import { nameRule } from '../../lambdas/management/rules.ts';
import { findWorkspace } from '../../lambdas/management/workspaces.ts';
import type { Money } from '../../lambdas/money/money.ts';
import { nowMs } from '../../lambdas/platform/clock.ts';
import { readPepper } from '../../lambdas/platform/secrets.ts';
import { allKeys, inferenceKeysOf, managementKeysOf } from '../../lambdas/store/key-directory.ts';
import { keyKinds, limitResets, readKey, type KeyKind, type LimitReset } from '../../lambdas/store/keys.ts';
import { limitOf, parseAmount, parseLimit, parseTime, textBy, type LimitArgument } from './arguments.ts';
import type { Row } from './output.ts';
import { keyRow } from './rows.ts';
import { onAccount, type Session } from './session.ts';

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('keys of clients (inference) and of the management API');
  keys
    .command('create')
    .description('create a key; its secret is printed this once')
    .requiredOption('--name <name>', '', textBy(nameRule))
    .addOption(new Option('--kind <kind>').choices([...keyKinds]).default('inference'))
    .option('--workspace <id or slug>', 'for inference keys', 'default')
    .option('--member <id>', 'whose spending and visibility the key has')
    .option('--limit <rub>', 'spending limit in roubles; 0 blocks the key', parseAmount)
    .addOption(
      new Option('--limit-reset <period>', 'when the limit starts anew (default: never)').choices([...limitResets]),
    )
    .option('--expires <ISO time>', 'when the key stops working', parseFuture)
    .action(onAccount(create));
  keys
    .command('list')
    .description('list inference keys of a workspace, or management keys of the account')
    .addOption(new Option('--kind <kind>').choices([...keyKinds]).default('inference'))
    .option('--workspace <id or slug>', 'for inference keys', 'default')
    .action(onAccount(list));
  keys
    .command('disable')
    .description('stop a key within seconds')
    .requiredOption('--hash <hash>', 'as "keys list" shows it')
    .action(onAccount((session, given: HashOptions) => setDisabled(session, given, true)));
  keys
    .command('enable')
    .description('let a disabled key work again')
    .requiredOption('--hash <hash>', 'as "keys list" shows it')
    .action(onAccount((session, given: HashOptions) => setDisabled(session, given, false)));
  keys
    .command('delete')
    .description('delete a key; its history stays')
    .requiredOption('--hash <hash>', 'as "keys list" shows it')
    .action(onAccount(remove));
  keys
    .command('limit')
    .description('set or clear the spending limit of a key; what was counted stays')
    .requiredOption('--hash <hash>')
    .requiredOption('--limit <rub or none>', '', parseLimit)
    .action(onAccount(setLimit));
}

interface ListOptions {
  kind: KeyKind;
  workspace: string;
}

interface CreateOptions extends ListOptions {
  name: string;
  member?: string;
  limit?: Money;
  limitReset?: LimitReset;
  expires?: string;
}

interface HashOptions {
  hash: string;
}

async function create({ table, accountId, changes }: Session, given: CreateOptions): Promise<Row> {
  const { kind, name, limit, limitReset } = given;
  const workspace = kind === 'inference' ? await findWorkspace(table, accountId, given.workspace) : undefined;
  const { key, secret } = await createKey(changes, await readPepper(), {
    kind,
    workspaceId: workspace?.id,
    memberId: workspace && given.member,
    name,
    limit,
    limitReset,
    expiresAt: given.expires,
  });
  return { key: secret, ...keyRow(key) };
}

async function list({ table, accountId }: Session, { kind, workspace }: ListOptions): Promise<Row[]> {
  const view =
    kind === 'management'
      ? managementKeysOf(accountId)
      : inferenceKeysOf({
          workspaceId: (await findWorkspace(table, accountId, workspace)).id,
          includeDisabled: true,
        });
  const rows: Row[] = [];
  for await (const hash of allKeys(table, view)) {
    const key = await readKey(table, hash);
    if (key && !key.deleted) rows.push(keyRow(await findKey(table, accountId, hash)));
  }
  return rows;
}

async function setDisabled({ changes }: Session, { hash }: HashOptions, disabled: boolean): Promise<Row> {
  return keyRow(await updateKey(changes, { hash }, { disabled }));
}

async function setLimit({ changes }: Session, { hash, limit }: HashOptions & { limit: LimitArgument }): Promise<Row> {
  return keyRow(await updateKey(changes, { hash }, { limit: limitOf(limit) }));
}

async function remove({ changes }: Session, { hash }: HashOptions): Promise<Row> {
  await deleteKey(changes, { hash });
  return { hash, deleted: true };
}

function parseFuture(text: string): string {
  const time = parseTime(text);
  if (Date.parse(time) <= nowMs()) throw new InvalidArgumentError('The time has to be in the future.');
  return time;
}
