import { z } from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { integerParameter } from '../../http/fields.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { listWorkspaces } from '../../store/workspaces.ts';
import type { WorkspaceListAnswer } from './shape.ts';
import { showWorkspaces } from './view.ts';

export const accepts = {
  query: z.strictObject({
    offset: integerParameter(0, 1_000_000_000).default(0),
    limit: integerParameter(1, 100).default(100),
  }),
};

/** Archived ones included: they are part of the books. */
export const handler = defineEndpoint('list-workspaces', accepts, async ({ query, caller: { account } }) => {
  const table = resources.table();
  const workspaces = await listWorkspaces(table, account.id);
  const page = workspaces.slice(query.offset, query.offset + query.limit);
  return jsonResponse<WorkspaceListAnswer>(200, {
    data: await showWorkspaces(table, page),
    total_count: workspaces.length,
  });
});
