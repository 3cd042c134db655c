import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { workspaceId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import type { WorkspaceAnswer } from './shape.ts';
import { showWorkspace } from './view.ts';

export const accepts = { params: z.object({ workspaceId }) };

export const handler = defineEndpoint('get-workspace', accepts, async ({ params, caller: { account } }) => {
  const table = resources.table();
  const workspace = await findWorkspace(table, account.id, params.workspaceId);
  return jsonResponse<WorkspaceAnswer>(200, { data: await showWorkspace(table, workspace) }, etag(workspace.version));
});
