import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { keyView } from '../../management/key-view.ts';
import { createKey, type CreatedKey } from '../../management/keys.ts';
import { checkActive, findWorkspace } from '../../management/workspaces.ts';
import { readPepper } from '../../platform/secrets.ts';
import { resources } from '../../resources.ts';
import { counterFrom } from '../../store/counters.ts';
import { settingsOf } from '../shared/key-fields.ts';
import { checkProviders } from '../shared/privacy-field.ts';
import { request as schemas } from './schema.ts';

export const handler = defineEndpoint('create-key', schemas, async ({ body, caller, request }) => {
  checkProviders(resources.catalog(), body.privacy);
  const table = resources.table();
  const { id: accountId, defaultWorkspaceId } = caller.account;
  return answerOnce({ route: 'create-key', accountId, request }, async (keep) => {
    const workspace = await findWorkspace(table, accountId, body.workspace_id ?? defaultWorkspaceId);
    checkActive(workspace);
    const created = await createKey(
      changesOf(table, caller, request.id),
      await readPepper(),
      {
        kind: 'inference',
        name: body.name,
        workspaceId: workspace.id,
        memberId: body.member_id ?? undefined,
        ...settingsOf(body),
      },
      (made) => keep(answer(made)),
    );
    return answer(created);
  });
});

function answer({ key, secret }: CreatedKey) {
  const data = { ...keyView(key, counterFrom(undefined)), key: secret };
  return jsonResponse(201, { data, key: secret }, etag(key.version));
}
