import * as z from 'zod';
import { servedProviderIds } from '../../catalog/served-catalog.ts';
import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { useLimitsOf } from '../../management/use-limits.ts';
import { createWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { counterFrom } from '../../store/counters/counters.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { slugField, workspaceName, workspaceSettings } from './fields.ts';
import type { WorkspaceAnswer } from './shape.ts';
import { workspaceView } from './view.ts';

export const accepts = {
  once: answerOnce,
  body: z.strictObject({
    name: workspaceName.meta({ description: 'A name for people; nothing depends on it.' }),
    slug: slugField,
    ...workspaceSettings,
  }),
};

export const handler = defineEndpoint('create-workspace', accepts, async ({ body, caller, request, once }) => {
  return once(async (keep) => {
    const context = { ...changesOf(resources.table(), caller, request.id), providerIds: servedProviderIds };
    const input = { ...body, ...useLimitsOf(body) };
    return createdWorkspaceBody(
      await createWorkspace(context, input, (workspace) => keep(createdWorkspaceBody(workspace))),
    );
  });
});

function createdWorkspaceBody(workspace: Workspace) {
  return jsonResponse<WorkspaceAnswer>(
    201,
    { data: workspaceView(workspace, counterFrom(undefined)) },
    etag(workspace.version),
  );
}
