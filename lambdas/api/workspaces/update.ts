import * as z from 'zod';
import { servedProviderIds } from '../../catalog/served-catalog.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { changeBody, keptWhenNull } from '../../http/fields.ts';
import { workspaceId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { useLimitsOf } from '../../management/use-limits.ts';
import { updateWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { slugField, workspaceName, workspaceSettings } from './fields.ts';
import type { WorkspaceAnswer } from './shape.ts';
import { showWorkspace } from './view.ts';

export const accepts = {
  params: z.object({ workspaceId }),
  body: changeBody({
    name: keptWhenNull(workspaceName).meta({ description: 'A name for people; nothing depends on it.' }),
    slug: keptWhenNull(slugField).meta({ description: 'A short name that is unique in the account.' }),
    ...workspaceSettings,
  }),
};

export const handler = defineEndpoint('update-workspace', accepts, async ({ params, body, caller, request }) => {
  const table = resources.table();
  const workspace = await updateWorkspace(
    { ...changesOf(table, caller, request.id), providerIds: servedProviderIds },
    { idOrSlug: params.workspaceId, expectedVersion: expectedVersion(request) },
    { ...body, ...useLimitsOf(body) },
  );
  return jsonResponse<WorkspaceAnswer>(200, { data: await showWorkspace(table, workspace) }, etag(workspace.version));
});
