import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { deleteWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { request as schemas } from './schema.ts';

export const handler = defineEndpoint('delete-workspace', schemas, async ({ params, caller, request }) => {
  const { archived } = await deleteWorkspace(changesOf(resources.table(), caller, request.id), {
    idOrSlug: params.workspaceId,
    expectedVersion: expectedVersion(request),
  });
  return jsonResponse(200, { deleted: true, archived });
});
