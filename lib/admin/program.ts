import { Command, InvalidArgumentError, Option } from 'commander';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { createAccount, setAccountPrivacy, topUp } from '../../lambdas/management/accounts.ts';
import { memberBudgets, setBudget, workspaceBudgets } from '../../lambdas/management/budgets.ts';
import { addMembers, findMember, removeMembers } from '../../lambdas/management/members.ts';
import { descriptionRule, memberIdRule, nameRule, slugRule } from '../../lambdas/management/rules.ts';
import { createWorkspace, deleteWorkspace, findWorkspace } from '../../lambdas/management/workspaces.ts';
import { Money } from '../../lambdas/money/money.ts';
import { intervals, type Interval } from '../../lambdas/money/periods.ts';
import { accountModes, listAccountIds, readAccount, type AccountMode } from '../../lambdas/store/accounts.ts';
import { privacyAttribute } from '../../lambdas/store/privacy.ts';
import { listMembers } from '../../lambdas/store/members.ts';
import { listWorkspaces } from '../../lambdas/store/workspaces.ts';
import { limitOf, parseLimit, parsePositive, textBy } from './arguments.ts';
import { addAuditCommand } from './audit-commands.ts';
import { addCatalogCommands } from './catalog-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import type { Row } from './output.ts';
import { accountRow, limitColumns, workspaceRow } from './rows.ts';
import { onAccount, onTable, operator } from './session.ts';
import { upgradeRecords } from '../upgrade.ts';

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
  addAuditCommand(program);
  program
    .command('upgrade')
    .description('bring records of an earlier version up to date; run it after a deployment, as often as you like')
    .action(onTable(async ({ table }) => ({ changed: await upgradeRecords(table) })));
  addCatalogCommands(program);
  return program;
}

function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('customers of the gateway');
  accounts
    .command('create')
    .description('create an account with its Default workspace')
    .requiredOption('--name <name>', '', textBy(nameRule))
    .addOption(new Option('--mode <mode>', 'how it pays').choices([...accountModes]).default('postpaid'))
    .action(
      onTable(async ({ table }, options) => {
        const account = await createAccount(table, operator(), {
          name: options['name']!,
          mode: options['mode'] as AccountMode,
        });
        return accountRow(account);
      }),
    );
  accounts
    .command('list')
    .description('list all accounts')
    .action(
      onTable(async ({ table }) => {
        const rows: Row[] = [];
        for await (const { id } of listAccountIds(table)) {
          const account = await readAccount(table, id);
          if (account) rows.push(accountRow(account));
        }
        return rows;
      }),
    );
  accounts
    .command('privacy')
    .description('which providers may see prompts of the account; without flags, shows it')
    .option('--block-logging <true or false>', 'exclude providers that keep prompts', parseBoolean)
    .option('--block-training <true or false>', 'exclude providers that train on prompts', parseBoolean)
    .option('--allowed-providers <ids>', 'comma-separated; "all" lifts the rule', parseProviders)
    .option('--ignored-providers <ids>', 'comma-separated; "none" lifts the rule', parseProviders)
    .action(
      onAccount(async ({ changes }, options) => {
        const account = await setAccountPrivacy(changes, {
          blockLogging: flagOf(options['blockLogging']),
          blockTraining: flagOf(options['blockTraining']),
          allowedProviders: listOf(options['allowedProviders']),
          ignoredProviders: listOf(options['ignoredProviders']),
        });
        return { account: account.id, ...privacyAttribute(account.privacy) };
      }),
    );
  accounts
    .command('top-up')
    .description('add money to a prepaid account')
    .requiredOption('--amount <rub>', 'roubles, for example 1500.50', parsePositive)
    .option('--note <text>', 'what the payment was for')
    .action(
      onAccount(async ({ changes }, options) => {
        const amount = Money.parse(options['amount']!);
        const { id, account } = await topUp(changes, { amount, note: options['note'] });
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
    .requiredOption('--name <name>', '', textBy(nameRule))
    .requiredOption('--slug <slug>', 'short name, unique in the account', textBy(slugRule))
    .option('--description <text>', '', textBy(descriptionRule), '')
    .action(
      onAccount(async ({ changes }, options) =>
        workspaceRow(
          await createWorkspace(changes, {
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
  workspaces
    .command('delete')
    .description('delete a workspace; one with keys or spending is archived, and its keys stop working')
    .requiredOption('--workspace <id or slug>')
    .action(
      onAccount(async ({ changes }, options) => {
        const { archived } = await deleteWorkspace(changes, { idOrSlug: options['workspace']! });
        return { workspace: options['workspace'], deleted: true, archived };
      }),
    );
}

function addMemberCommands(program: Command): void {
  const members = program.command('members').description('people and services with access to a workspace');
  members
    .command('add')
    .description('give a member access')
    .requiredOption('--member <id>', 'as your own systems name the person or service', textBy(memberIdRule))
    .option('--workspace <id or slug>', '', 'default')
    .action(
      onAccount(async ({ table, accountId, changes }, options) => {
        const workspace = await findWorkspace(table, accountId, options['workspace']!);
        await addMembers(changes, workspace, [options['member']!]);
        return { member: options['member'], workspace: workspace.id };
      }),
    );
  members
    .command('remove')
    .description('take access away; the keys of the member stop working')
    .requiredOption('--member <id>')
    .option('--workspace <id or slug>', '', 'default')
    .action(
      onAccount(async ({ table, accountId, changes }, options) => {
        const workspace = await findWorkspace(table, accountId, options['workspace']!);
        await removeMembers(changes, workspace, [options['member']!]);
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
      onAccount(async ({ table, accountId, changes }, options) => {
        const workspace = await findWorkspace(table, accountId, options['workspace']!);
        const memberId = options['member'];
        if (memberId !== undefined) await findMember(table, workspace.id, memberId);
        const owner =
          memberId === undefined ? workspaceBudgets(accountId, workspace.id) : memberBudgets(workspace.id, memberId);
        const interval = options['interval'] as Interval;
        const { limits } = await setBudget(changes, owner, { interval, limit: limitOf(options['limit']!) });
        return { workspace: workspace.id, ...(memberId ? { member: memberId } : {}), ...limitColumns(limits) };
      }),
    );
}

function parseBoolean(text: string): string {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Use true or false.');
  return text;
}

/** A typo would silently not protect anybody. */
function parseProviders(text: string): string {
  const known = loadCatalog().providerIds;
  const unknown = (listOf(text) ?? []).find((id) => !known.includes(id));
  if (unknown === undefined) return text;
  throw new InvalidArgumentError(`There is no provider "${unknown}"; there are: ${known.join(', ')}.`);
}

function flagOf(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}

function listOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  return text === 'all' || text === 'none' ? [] : text.split(',').map((id) => id.trim());
}
