import type { Command } from 'commander';
import { descriptionRule, nameRule, slugRule } from '../../../lambdas/management/rules.ts';
import { invalidRequest } from '../../../lambdas/platform/errors.ts';
import { obeys } from '../../../lambdas/platform/text-rule.ts';
import { createWorkspace, deleteWorkspace, updateWorkspace } from '../../../lambdas/management/workspaces.ts';
import { readCounters } from '../../../lambdas/store/counters/counters.ts';
import { listWorkspaces } from '../../../lambdas/store/accounts/workspaces.ts';
import { textBy } from '../command-line/arguments.ts';
import type { Row } from '../../shared/output.ts';
import { workspaceTableRow, workspaceRow } from './rows.ts';
import { useLimitChange, withUseLimits, type UseLimitOptions } from './use-limit-options.ts';
import { onAccount, type Session } from '../session/session.ts';

export function addWorkspaceCommands(program: Command): void {
  const workspaces = program.command('workspaces').description('parts of an account with their own keys and budgets');
  workspaces
    .command('create')
    .description('create a workspace')
    .requiredOption('--name <name>', '', textBy(nameRule))
    .option('--slug <slug>', 'short name, unique in the account (default: derived from the name)', textBy(slugRule))
    .option('--description <text>', '', textBy(descriptionRule), '')
    .action(onAccount(addWorkspace));
  workspaces
    .command('list')
    .description('list the workspaces of the account with their spending')
    .action(onAccount(workspaceRows, { shown: workspaceTableRow }));
  withUseLimits(workspaces.command('set'), 'its keys')
    .description('change the name, slug, description or use limits of a workspace')
    .requiredOption('--workspace <id or slug>')
    .option('--name <name>', '', textBy(nameRule))
    .option('--slug <slug>', 'short name, unique in the account', textBy(slugRule))
    .option('--description <text>', '', textBy(descriptionRule))
    .action(onAccount(changeWorkspaceSettings));
  workspaces
    .command('delete')
    .description('delete a workspace; if it has keys or spending, archive it instead and stop its keys')
    .requiredOption('--workspace <id or slug>')
    .action(onAccount(deleteOrArchiveWorkspace));
}

interface NewWorkspaceOptions {
  name: string;
  slug?: string;
  description: string;
}

async function addWorkspace({ changes }: Session, given: NewWorkspaceOptions): Promise<Row> {
  return workspaceRow(await createWorkspace(changes, { ...given, slug: given.slug ?? slugOf(given.name) }));
}

/**
 * Derives a slug from the letters a to z and the digits of a name.
 * @throws {GatewayError} 400 if the result is not a valid slug
 */
function slugOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('-').slice(0, slugRule.maxLength).replace(/-$/, '');
  if (!obeys(slugRule, slug))
    throw invalidRequest('--slug', 'is required, because no slug can be derived from this name');
  return slug;
}

async function workspaceRows({ table, accountId }: Session) {
  const workspaces = await listWorkspaces(table, accountId);
  const counterOf = await readCounters(
    table,
    'workspace',
    workspaces.map(({ id }) => id),
  );
  return workspaces.map((workspace) => workspaceRow(workspace, counterOf(workspace.id)));
}

interface WorkspaceSettingsOptions extends UseLimitOptions {
  workspace: string;
  name?: string;
  slug?: string;
  description?: string;
}

async function changeWorkspaceSettings(
  { table, changes }: Session,
  { workspace, ...given }: WorkspaceSettingsOptions,
): Promise<Row> {
  if (Object.keys(given).length === 0)
    throw invalidRequest('--name', 'is missing; pass it or another setting (see --help)');
  const changed = await updateWorkspace(changes, { idOrSlug: workspace }, { ...given, ...useLimitChange(given) });
  const counterOf = await readCounters(table, 'workspace', [changed.id]);
  return { ...workspaceRow(changed, counterOf(changed.id)), description: changed.description };
}

async function deleteOrArchiveWorkspace({ changes }: Session, { workspace }: { workspace: string }): Promise<Row> {
  const { archived } = await deleteWorkspace(changes, { idOrSlug: workspace });
  return { workspace, deleted: true, archived };
}
