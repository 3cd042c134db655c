import { Command, Option } from 'commander';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { Money } from '../../lambdas/money/money.ts';
import { intervals, type Interval } from '../../lambdas/money/periods.ts';
import { createAccount, topUp } from '../../lambdas/management/accounts.ts';
import { setLimit } from '../../lambdas/management/budgets.ts';
import { createKey, setKeyDisabled } from '../../lambdas/management/keys.ts';
import { addMember, createWorkspace, findWorkspace, removeMember } from '../../lambdas/management/workspaces.ts';
import { readPepper } from '../../lambdas/platform/secrets.ts';
import { accountModes, listAccounts, type AccountMode } from '../../lambdas/store/accounts.ts';
import { readKey, keyItemKey, listKeys, type ApiKey, type KeyKind } from '../../lambdas/store/keys.ts';
import type { Limits } from '../../lambdas/store/limits.ts';
import type { Table } from '../../lambdas/store/table.ts';
import { listMembers, listWorkspaces, memberKey, memberScopeId, workspaceKey } from '../../lambdas/store/workspaces.ts';
import { addCatalogCommands } from './catalog-commands.ts';
import { limitOf, parseAmount, parseLimit, parsePositive, parseSlug, parseTime } from './arguments.ts';
import type { Row } from './output.ts';
import { accountRow, keyRow, limitColumns, workspaceRow } from './rows.ts';
import { onAccount, onTable, type Options, type Session } from './session.ts';

/** The operator's commands. They change accounts, which no HTTP route can. */
export function buildProgram(): Command {
  const program = new Command('admin')
    .description('Accounts, workspaces, members, keys, budgets and top-ups of a gateway.')
    .usage('<group> <command> [options]   (npm run admin -- <group> <command> [options])')
    .option('--json', 'print JSON for programs', false)
    .option('--data <dir>', 'data directory of a local gateway', '.local')
    .option('--table <name>', 'table of a deployment on AWS, with your own AWS credentials')
    .option('--pepper-secret <arn>', 'secret of that deployment which hashes keys; needed to create keys')
    .option('--account <id>', 'account to work on (default: the one of the local gateway)')
    .showHelpAfterError('(--help shows what there is)');
  addAccountCommands(program);
  addWorkspaceCommands(program);
  addMemberCommands(program);
  addKeyCommands(program);
  addBudgetCommands(program);
  addCatalogCommands(program);
  return program;
}

function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('customers of the gateway');
  accounts
    .command('create')
    .description('create an account with its Default workspace')
    .requiredOption('--name <name>')
    .addOption(new Option('--mode <mode>', 'how it pays').choices([...accountModes]).default('postpaid'))
    .action(
      onTable(async ({ table }, options) => {
        const account = await createAccount(table, { name: options['name']!, mode: options['mode'] as AccountMode });
        return accountRow(account);
      }),
    );
  accounts
    .command('list')
    .description('list all accounts')
    .action(onTable(async ({ table }) => (await listAccounts(table)).map(accountRow)));
  accounts
    .command('top-up')
    .description('add money to a prepaid account')
    .requiredOption('--amount <rub>', 'roubles, for example 1500.50', parsePositive)
    .option('--note <text>', 'what the payment was for')
    .action(
      onAccount(async ({ table, accountId }, options) => {
        const amount = Money.parse(options['amount']!);
        const { id, account } = await topUp(table, { accountId, amount, note: options['note'] });
        return {
          top_up: id,
          account: account.id,
          added_rub: amount.toString(),
          total_rub: account.limits.lifetime!.toString(),
        };
      }),
    );
}

function addWorkspaceCommands(program: Command): void {
  const workspaces = program
    .command('workspaces')
    .description('parts of an account with keys and budgets of their own');
  workspaces
    .command('create')
    .description('create a workspace')
    .requiredOption('--name <name>')
    .requiredOption('--slug <slug>', 'short name, unique in the account', parseSlug)
    .option('--description <text>', '', '')
    .action(
      onAccount(async ({ table, accountId }, options) =>
        workspaceRow(
          await createWorkspace(table, {
            accountId,
            name: options['name']!,
            slug: options['slug']!,
            description: options['description']!,
          }),
        ),
      ),
    );
  workspaces
    .command('list')
    .description('list the workspaces of the account')
    .action(onAccount(async ({ table, accountId }) => (await listWorkspaces(table, accountId)).map(workspaceRow)));
}

function addMemberCommands(program: Command): void {
  const members = program.command('members').description('people and services with access to a workspace');
  members
    .command('add')
    .description('give a member access')
    .requiredOption('--member <id>')
    .option('--workspace <id or slug>', '', 'default')
    .action(
      onAccount(async ({ table, accountId }, options) => {
        const workspace = await findWorkspace(table, accountId, options['workspace']!);
        const member = await addMember(table, { accountId, workspaceId: workspace.id, memberId: options['member']! });
        return { member: member.id, workspace: workspace.id };
      }),
    );
  members
    .command('remove')
    .description('take access away; the keys of the member stop working')
    .requiredOption('--member <id>')
    .option('--workspace <id or slug>', '', 'default')
    .action(
      onAccount(async ({ table, accountId }, options) => {
        const workspace = await findWorkspace(table, accountId, options['workspace']!);
        await removeMember(table, { workspaceId: workspace.id, id: options['member']! });
        return { removed: options['member'], workspace: workspace.id };
      }),
    );
  members
    .command('list')
    .description('list the members of a workspace')
    .option('--workspace <id or slug>', '', 'default')
    .action(
      onAccount(async ({ table, accountId }, options) => {
        const workspace = await findWorkspace(table, accountId, options['workspace']!);
        const found = await listMembers(table, workspace.id);
        return found.map(({ id, removed, limits, createdAt }) => ({
          id,
          removed,
          ...limitColumns(limits),
          created_at: createdAt,
        }));
      }),
    );
}

function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('keys of clients (inference) and of the management API');
  keys
    .command('create')
    .description('create a key; its secret is printed this once')
    .requiredOption('--name <name>')
    .addOption(new Option('--kind <kind>').choices(['inference', 'management']).default('inference'))
    .option('--workspace <id or slug>', 'for inference keys', 'default')
    .option('--member <id>', 'whose spending and visibility the key has')
    .option('--limit <rub>', 'spending limit in roubles; 0 blocks the key', parseAmount)
    .addOption(
      new Option('--limit-reset <period>', 'when the limit starts anew (default: never)').choices([
        'daily',
        'weekly',
        'monthly',
      ]),
    )
    .option('--expires <ISO time>', 'when the key stops working', parseTime)
    .action(onAccount(createKeyCommand));
  keys
    .command('list')
    .description('list inference keys of a workspace, or management keys of the account')
    .addOption(new Option('--kind <kind>').choices(['inference', 'management']).default('inference'))
    .option('--workspace <id or slug>', 'for inference keys', 'default')
    .action(
      onAccount(async ({ table, accountId }, options) => {
        if (options['kind'] === 'management') return (await listKeys(table, { accountId })).map(keyRow);
        const workspace = await findWorkspace(table, accountId, options['workspace']!);
        return (await listKeys(table, { workspaceId: workspace.id })).map(keyRow);
      }),
    );
  for (const [name, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    keys
      .command(name)
      .description(disabled ? 'stop a key within seconds' : 'let a disabled key work again')
      .requiredOption('--hash <hash>', 'as "keys list" shows it')
      .action(
        onAccount(async ({ table, accountId }, options) => {
          await ownKey(table, accountId, options['hash']!);
          await setKeyDisabled(table, options['hash']!, disabled);
          return { hash: options['hash'], disabled };
        }),
      );
  }
  keys
    .command('limit')
    .description('set or clear the spending limit of a key; what was counted stays')
    .requiredOption('--hash <hash>')
    .requiredOption('--limit <rub or none>', '', parseLimit)
    .action(
      onAccount(async ({ table, accountId }, options) => {
        const hash = options['hash']!;
        const key = await ownKey(table, accountId, hash);
        const [interval = 'lifetime'] = Object.keys(key.limits) as Interval[];
        const record = { key: keyItemKey(hash), scope: { kind: 'key', id: hash } as const };
        return { hash, ...limitColumns(await setLimit(table, record, interval, limitOf(options['limit']!))) };
      }),
    );
}

function addBudgetCommands(program: Command): void {
  const budgets = program.command('budgets').description('spending limits of workspaces and members');
  budgets
    .command('set')
    .description('set or clear the budget of a period; what was counted stays')
    .addOption(new Option('--interval <period>').choices([...intervals]).makeOptionMandatory())
    .requiredOption('--limit <rub or none>', '', parseLimit)
    .option('--workspace <id or slug>', '', 'default')
    .option('--member <id>', 'the budget of this member instead of the whole workspace')
    .action(
      onAccount(async ({ table, accountId }, options) => {
        const workspace = await findWorkspace(table, accountId, options['workspace']!);
        const memberId = options['member'];
        const record =
          memberId === undefined
            ? { key: workspaceKey(accountId, workspace.id), scope: { kind: 'workspace', id: workspace.id } as const }
            : {
                key: memberKey(workspace.id, memberId),
                scope: { kind: 'member', id: memberScopeId(workspace.id, memberId) } as const,
              };
        const limits = await setLimit(table, record, options['interval'] as Interval, limitOf(options['limit']!));
        return { workspace: workspace.id, ...(memberId ? { member: memberId } : {}), ...limitColumns(limits) };
      }),
    );
}

async function createKeyCommand({ table, accountId }: Session, options: Options): Promise<Row> {
  const kind = options['kind'] as KeyKind;
  const workspace = kind === 'inference' ? await findWorkspace(table, accountId, options['workspace']!) : undefined;
  const memberId = options['member'];
  if (memberId !== undefined && workspace) {
    const members = await listMembers(table, workspace.id);
    if (!members.some(({ id, removed }) => id === memberId && !removed)) {
      throw new GatewayError(
        404,
        'not_found',
        `There is no member "${memberId}" in this workspace. Add it with "members add".`,
      );
    }
  }
  const interval = (options['limitReset'] ?? 'lifetime') as Interval;
  const limits: Limits = options['limit'] === undefined ? {} : { [interval]: Money.parse(options['limit']) };
  const { key, secret } = await createKey(table, await readPepper(), {
    kind,
    accountId,
    workspaceId: workspace?.id,
    memberId,
    name: options['name']!,
    limits,
    expiresAt: options['expires'],
  });
  return { key: secret, ...keyRow(key) };
}

/** A key of the account. @throws {GatewayError} 404 for another account's, as if it did not exist. */
async function ownKey(table: Table, accountId: string, hash: string): Promise<ApiKey> {
  const key = await readKey(table, hash);
  if (key?.accountId !== accountId) throw new GatewayError(404, 'not_found', `There is no key "${hash}".`);
  return key;
}
