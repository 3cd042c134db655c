import type { Command } from 'commander';
import { addMembers, removeMembers, updateMember } from '../../../lambdas/management/members.ts';
import { memberIdRule } from '../../../lambdas/management/rules.ts';
import { findWorkspace } from '../../../lambdas/management/workspaces.ts';
import { invalidRequest } from '../../../lambdas/platform/errors.ts';
import { readCounter, readCounters } from '../../../lambdas/store/counters/counters.ts';
import { listMembers } from '../../../lambdas/store/accounts/members.ts';
import { memberScope } from '../../../lambdas/store/accounts/payer.ts';
import { textBy } from '../command-line/arguments.ts';
import { memberRow, memberTableRow } from './rows.ts';
import { onAccount, type Session } from '../session/session.ts';
import { useLimitChange, withUseLimits, type UseLimitOptions } from './use-limit-options.ts';

export function addMemberCommands(program: Command): void {
  const members = program.command('members').description('people and services with access to a workspace');
  members
    .command('add')
    .description('add a member to a workspace')
    .requiredOption('--member <id>', 'id of the person or service in your own systems', textBy(memberIdRule))
    .option('--workspace <id or slug>', '', 'default')
    .action(onAccount(addMember));
  members
    .command('remove')
    .description('remove a member from a workspace; the member’s keys stop working')
    .requiredOption('--member <id>')
    .option('--workspace <id or slug>', '', 'default')
    .action(onAccount(removeMember));
  withUseLimits(members.command('set'), 'the keys of the member')
    .description('change the use limits of a member')
    .requiredOption('--member <id>')
    .option('--workspace <id or slug>', '', 'default')
    .action(onAccount(changeMember));
  members
    .command('list')
    .description('list the members of a workspace with their spending')
    .option('--workspace <id or slug>', '', 'default')
    .action(onAccount(memberRows, { shown: memberTableRow }));
}

interface WorkspaceOptions {
  workspace: string;
}

interface MemberOptions extends WorkspaceOptions {
  member: string;
}

async function addMember({ table, accountId, changes }: Session, { workspace: idOrSlug, member }: MemberOptions) {
  const workspace = await findWorkspace(table, accountId, idOrSlug);
  await addMembers(changes, workspace, [member]);
  return { member, workspace: workspace.id };
}

async function removeMember({ table, accountId, changes }: Session, { workspace: idOrSlug, member }: MemberOptions) {
  const workspace = await findWorkspace(table, accountId, idOrSlug);
  await removeMembers(changes, workspace, [member]);
  return { removed: member, workspace: workspace.id };
}

async function changeMember({ table, accountId, changes }: Session, given: MemberOptions & UseLimitOptions) {
  const change = useLimitChange(given);
  if (Object.values(change).every((value) => value === undefined))
    throw invalidRequest('--models', 'is missing; pass it or another setting (see --help)');
  const workspace = await findWorkspace(table, accountId, given.workspace);
  const member = await updateMember(changes, workspace, { memberId: given.member }, change);
  const scope = memberScope(workspace.id, member.id);
  return memberRow(member, await readCounter(table, scope));
}

async function memberRows({ table, accountId }: Session, given: WorkspaceOptions) {
  const workspace = await findWorkspace(table, accountId, given.workspace);
  const found = await listMembers(table, workspace.id);
  const scopes = found.map(({ id }) => memberScope(workspace.id, id).id);
  const counterOf = await readCounters(table, 'member', scopes);
  return found.map((member, index) => memberRow(member, counterOf(scopes[index]!)));
}
