import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { showWorkspaces } from '../../management/workspace-view.ts';
import { resources } from '../../resources.ts';
import { listWorkspaces } from '../../store/workspaces.ts';
import { request } from './schema.ts';

/** Archived ones included: they are part of the books. */
export const handler = defineEndpoint('list-workspaces', request, async ({ query, caller: { account } }) => {
  const table = resources.table();
  const workspaces = await listWorkspaces(table, account.id);
  const page = workspaces.slice(query.offset, query.offset + query.limit);
  return jsonResponse(200, { data: await showWorkspaces(table, page), total_count: workspaces.length });
});
