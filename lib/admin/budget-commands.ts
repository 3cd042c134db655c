import { Option, type Command } from 'commander';
import { memberBudgets, setBudget, workspaceBudgets } from '../../lambdas/management/budgets.ts';
import { findMember } from '../../lambdas/management/members.ts';
import { findWorkspace } from '../../lambdas/management/workspaces.ts';
import { intervals, type Interval } from '../../lambdas/money/periods.ts';
import { limitOf, parseLimit, type LimitArgument } from './arguments.ts';
import type { Row } from './output.ts';
import { limitColumns } from './rows.ts';
import { onAccount, type Session } from './session.ts';

export function addBudgetCommands(program: Command): void {
  const budgets = program.command('budgets').description('spending limits of workspaces and members');
  budgets
    .command('set')
    .description('set or clear the budget of a period; what was counted stays')
    .addOption(new Option('--interval <period>').choices([...intervals]).makeOptionMandatory())
    .requiredOption('--limit <rub or none>', '', parseLimit)
    .option('--workspace <id or slug>', '', 'default')
    .option('--member <id>', 'the budget of this member instead of the whole workspace')
    .action(onAccount(set));
}

interface SetOptions {
  interval: Interval;
  limit: LimitArgument;
  workspace: string;
  member?: string;
}

async function set({ table, accountId, changes }: Session, given: SetOptions): Promise<Row> {
  const { interval, member } = given;
  const workspace = await findWorkspace(table, accountId, given.workspace);
  if (member !== undefined) await findMember(table, workspace.id, member);
  const owner = member === undefined ? workspaceBudgets(accountId, workspace.id) : memberBudgets(workspace.id, member);
  const { limits } = await setBudget(changes, owner, { interval, limit: limitOf(given.limit) });
  return { workspace: workspace.id, ...(member ? { member } : {}), ...limitColumns(limits) };
}
