import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { showWorkspace } from '../../management/workspace-view.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { request } from './schema.ts';

export const handler = defineEndpoint('get-workspace', request, async ({ params, caller: { account } }) => {
  const table = resources.table();
  const workspace = await findWorkspace(table, account.id, params.workspaceId);
  return jsonResponse(200, { data: await showWorkspace(table, workspace) }, etag(workspace.version));
});
