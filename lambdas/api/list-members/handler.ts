import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { activeMembers } from '../../management/members.ts';
import { showMembers } from '../../management/workspace-view.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { request } from './schema.ts';

export const handler = defineEndpoint('list-members', request, async ({ params, query, caller: { account } }) => {
  const table = resources.table();
  const workspace = await findWorkspace(table, account.id, params.workspaceId);
  const members = await activeMembers(table, workspace.id);
  const page = members.slice(query.offset, query.offset + query.limit);
  return jsonResponse(200, { data: await showMembers(table, workspace.id, page), total_count: members.length });
});
