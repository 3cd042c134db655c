import { Option, type Command } from 'commander';
import { memberBudgets, setBudget, workspaceBudgets } from '../../../lambdas/management/budgets.ts';
import { findMember } from '../../../lambdas/management/members.ts';
import { findWorkspace } from '../../../lambdas/management/workspaces.ts';
import type { ChangeContext } from '../../../lambdas/management/change.ts';
import { setTagBudget } from '../../../lambdas/management/tag-budgets.ts';
import type { Money } from '../../../lambdas/money/money.ts';
import { intervals, type Interval } from '../../../lambdas/money/periods.ts';
import { readTagSettings } from '../../../lambdas/store/accounts/account-tags.ts';
import { readCounter, type ScopeId } from '../../../lambdas/store/counters/counters.ts';
import { isLimited, type Limits } from '../../../lambdas/store/counters/limits.ts';
import { tagParts, tagScope, tagText } from '../../../lambdas/store/counters/tag-scopes.ts';
import { listMembers } from '../../../lambdas/store/accounts/members.ts';
import { memberScope } from '../../../lambdas/store/accounts/payer.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { listWorkspaces, type Workspace } from '../../../lambdas/store/accounts/workspaces.ts';
import { limitOption, parseLimit, type LimitArgument } from '../command-line/arguments.ts';
import type { Row } from '../../shared/output.ts';
import { onAccount, type Session } from '../session/session.ts';
import { parseOneTag } from './key-tags.ts';
import { limitTexts, limitUsageOf } from './spending.ts';

export function addBudgetCommands(program: Command): void {
  const budgets = program.command('budgets').description('spending limits of workspaces, members and tags');
  budgets
    .command('set')
    .description('set or remove the budget of a period; past spending still counts')
    .addOption(new Option('--interval <period>').choices([...intervals]).makeOptionMandatory())
    .requiredOption('--limit <rub or none>', '', parseLimit)
    .option('--workspace <id or slug>', '', 'default')
    .option('--member <id>', 'set the budget of this member instead of the whole workspace')
    .addOption(
      new Option('--tag <name=value>', 'set the budget of all requests with this tag, for example project=lake')
        .argParser(parseOneTag)
        .conflicts(['workspace', 'member']),
    )
    .action(onAccount(changeBudget));
  budgets
    .command('list')
    .description('list the budgets of the account, or of one workspace, and how much of each is used')
    .option('--workspace <id or slug>')
    .action(onAccount(budgetRows, { shown: budgetTableRow }));
}

interface BudgetOptions {
  interval: Interval;
  limit: LimitArgument;
  workspace: string;
  member?: string;
  tag?: { name: string; value: string };
}

async function changeBudget({ table, accountId, changes }: Session, given: BudgetOptions): Promise<Row> {
  const { interval, member, tag } = given;
  if (tag) return changeTagBudget(changes, tag, { interval, limit: limitOption(given.limit) });
  const workspace = await findWorkspace(table, accountId, given.workspace);
  if (member !== undefined) await findMember(table, workspace.id, member);
  const owner = member === undefined ? workspaceBudgets(accountId, workspace.id) : memberBudgets(workspace.id, member);
  const { limits } = await setBudget(changes, owner, { interval, limit: limitOption(given.limit) });
  return { workspace: workspace.id, ...(member ? { member } : {}), limits_rub: limitTexts(limits) };
}

async function changeTagBudget(
  changes: ChangeContext,
  tag: { name: string; value: string },
  change: { interval: Interval; limit: Money | null },
): Promise<Row> {
  const settings = await setTagBudget(changes, { ...tag, ...change });
  const limits = settings.budgets.find((one) => one.tag === tagText(tag.name, tag.value))?.limits ?? {};
  return { tag: `${tag.name}=${tag.value}`, limits_rub: limitTexts(limits) };
}

/** Workspace or member with its budgets. `member` is undefined if the owner is the workspace itself. */
interface OwnerWithBudgets {
  scope: ScopeId;
  limits: Limits;
  workspace: Workspace;
  member: string | undefined;
}

async function budgetRows({ table, accountId }: Session, given: { workspace?: string }) {
  const workspaces =
    given.workspace === undefined
      ? await listWorkspaces(table, accountId)
      : [await findWorkspace(table, accountId, given.workspace)];
  const rows: BudgetRow[] = [];
  for (const workspace of workspaces) {
    for (const owner of await ownersIn(table, workspace)) {
      const counter = await readCounter(table, owner.scope);
      for (const interval of intervals) {
        const limit = owner.limits[interval];
        if (limit) rows.push(budgetRow(owner, interval, limitUsageOf(counter, interval, limit)));
      }
    }
  }
  if (given.workspace !== undefined) return rows;
  for (const { tag, limits } of (await readTagSettings(table, accountId)).budgets) {
    const counter = await readCounter(table, tagScope(accountId, tag));
    const { name, value } = tagParts(tag);
    for (const interval of intervals) {
      const limit = limits[interval];
      if (limit) rows.push(tagBudgetRow(`${name}=${value}`, interval, limitUsageOf(counter, interval, limit)));
    }
  }
  return rows;
}

function tagBudgetRow(tag: string, interval: Interval, standing: ReturnType<typeof limitUsageOf>) {
  return { workspace: null, workspace_id: null, member_id: null, tag, interval, ...standing };
}

/** Returns the workspace and its active members, if they have budgets. */
async function ownersIn(table: Table, workspace: Workspace): Promise<OwnerWithBudgets[]> {
  const members = await listMembers(table, workspace.id);
  const owners: OwnerWithBudgets[] = [
    { scope: { kind: 'workspace', id: workspace.id }, limits: workspace.limits, workspace, member: undefined },
    ...members
      .filter(({ removed }) => !removed)
      .map(({ id, limits }) => ({ scope: memberScope(workspace.id, id), limits, workspace, member: id })),
  ];
  return owners.filter(({ limits }) => isLimited(limits));
}

function budgetRow(
  { workspace, member }: OwnerWithBudgets,
  interval: Interval,
  standing: ReturnType<typeof limitUsageOf>,
) {
  const ids = { workspace: workspace.slug, workspace_id: workspace.id, member_id: member ?? null, tag: null };
  return { ...ids, interval, ...standing };
}

type BudgetRow = ReturnType<typeof budgetRow> | ReturnType<typeof tagBudgetRow>;

function budgetTableRow({ workspace, member_id: member, tag, interval, ...standing }: BudgetRow) {
  const { limit_rub, spent_rub, held_rub, left_rub, used_percent: used } = standing;
  return { workspace, member, tag, interval, limit_rub, spent_rub, held_rub, left_rub, used: `${used} %` };
}
