import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { alwaysPaged } from '../../http/pages.ts';
import { workspaceId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { activeMembers } from '../../management/members.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import type { MemberListAnswer } from './shape.ts';
import { showMembers } from './view.ts';

export const accepts = {
  params: z.object({ workspaceId }),
  query: z.strictObject(alwaysPaged(100)),
};

export const handler = defineEndpoint('list-members', accepts, async ({ params, query, caller: { account } }) => {
  const table = resources.table();
  const workspace = await findWorkspace(table, account.id, params.workspaceId);
  const members = await activeMembers(table, workspace.id);
  const page = members.slice(query.offset, query.offset + query.limit);
  return jsonResponse<MemberListAnswer>(200, {
    data: await showMembers(table, workspace.id, page),
    total_count: members.length,
  });
});
