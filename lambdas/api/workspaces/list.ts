import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { alwaysPaged } from '../../http/pages.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { listWorkspaces } from '../../store/accounts/workspaces.ts';
import type { WorkspaceListAnswer } from './shape.ts';
import { showWorkspaces } from './view.ts';

export const accepts = {
  query: z.strictObject(alwaysPaged(100)),
};

/** Returns a page of workspaces, including archived workspaces, which are part of the account's history. */
export const handler = defineEndpoint('list-workspaces', accepts, async ({ query, caller: { account } }) => {
  const table = resources.table();
  const workspaces = await listWorkspaces(table, account.id);
  const page = workspaces.slice(query.offset, query.offset + query.limit);
  return jsonResponse<WorkspaceListAnswer>(200, {
    data: await showWorkspaces(table, page),
    total_count: workspaces.length,
  });
});
