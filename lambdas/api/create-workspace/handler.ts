import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { workspaceView } from '../../management/workspace-view.ts';
import { createWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { counterFrom } from '../../store/counters.ts';
import type { Workspace } from '../../store/workspaces.ts';
import { checkProviders } from '../shared/privacy-field.ts';
import { request as schemas } from './schema.ts';

export const handler = defineEndpoint('create-workspace', schemas, async ({ body, caller, request }) => {
  checkProviders(resources.catalog(), body.privacy);
  return answerOnce({ route: 'create-workspace', accountId: caller.account.id, request }, async (keep) => {
    const context = changesOf(resources.table(), caller, request.id);
    return answer(await createWorkspace(context, body, (workspace) => keep(answer(workspace))));
  });
});

function answer(workspace: Workspace) {
  return jsonResponse(201, { data: workspaceView(workspace, counterFrom(undefined)) }, etag(workspace.version));
}
