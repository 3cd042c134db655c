import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { showWorkspace } from '../../management/workspace-view.ts';
import { updateWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { checkProviders } from '../shared/privacy-field.ts';
import { request as schemas } from './schema.ts';

export const handler = defineEndpoint('update-workspace', schemas, async ({ params, body, caller, request }) => {
  checkProviders(resources.catalog(), body.privacy);
  const table = resources.table();
  const workspace = await updateWorkspace(
    changesOf(table, caller, request.id),
    { idOrSlug: params.workspaceId, expectedVersion: expectedVersion(request) },
    body,
  );
  return jsonResponse(200, { data: await showWorkspace(table, workspace) }, etag(workspace.version));
});
