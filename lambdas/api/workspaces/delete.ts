import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { workspaceId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { deleteWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import type { DeletedWorkspaceAnswer } from './shape.ts';

export const accepts = { params: z.object({ workspaceId }) };

export const handler = defineEndpoint('delete-workspace', accepts, async ({ params, caller, request }) => {
  const { archived } = await deleteWorkspace(changesOf(resources.table(), caller, request.id), {
    idOrSlug: params.workspaceId,
    expectedVersion: expectedVersion(request),
  });
  return jsonResponse<DeletedWorkspaceAnswer>(200, { deleted: true, archived });
});
