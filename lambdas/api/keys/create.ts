import * as z from 'zod';
import { servedProviderIds } from '../../catalog/served-catalog.ts';
import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { someId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { createKey, type CreatedKey } from '../../management/keys.ts';
import { checkActive, findWorkspace } from '../../management/workspaces.ts';
import { readPepper } from '../../platform/secrets/secrets.ts';
import { resources } from '../../resources.ts';
import { counterFrom } from '../../store/counters/counters.ts';
import { keySettingsOf } from '../../management/key-settings.ts';
import { keyAmounts, keyName, keySettings } from './fields.ts';
import type { CreatedKeyAnswer } from './shape.ts';
import { keyView } from './view.ts';

export const accepts = {
  once: answerOnce,
  exactNumbers: keyAmounts,
  body: z.strictObject({
    name: keyName.meta({ description: 'A name for people; nothing depends on it.' }),
    workspace_id: someId
      .nullish()
      .meta({ description: 'The id or slug of a workspace; without it, the Default workspace.' }),
    member_id: someId.nullish().meta({
      description:
        'The member of the workspace whose budgets the key spends; the key then sees only the requests of this member.',
    }),
    ...keySettings,
  }),
};

export const handler = defineEndpoint('create-key', accepts, async ({ body, caller, request, once }) => {
  const table = resources.table();
  const { id: accountId, defaultWorkspaceId } = caller.account;
  return once(async (keep) => {
    const workspace = await findWorkspace(table, accountId, body.workspace_id ?? defaultWorkspaceId);
    checkActive(workspace);
    const created = await createKey(
      { ...changesOf(table, caller, request.id), providerIds: servedProviderIds },
      await readPepper(),
      {
        kind: 'inference',
        name: body.name,
        workspaceId: workspace.id,
        memberId: body.member_id ?? undefined,
        ...keySettingsOf(body),
      },
      (made) => keep(createdKeyBody(made)),
    );
    return createdKeyBody(created);
  });
});

function createdKeyBody({ key, secret }: CreatedKey) {
  const data = { ...keyView(key, counterFrom(undefined)), key: secret };
  return jsonResponse<CreatedKeyAnswer>(201, { data, key: secret }, etag(key.version));
}
