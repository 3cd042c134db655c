import { z } from 'zod';
import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { workspaceId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { changesOf } from '../../management/change.ts';
import { removeMembers, type MembersChange } from '../../management/members.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { membersBody } from './fields.ts';

export const accepts = { params: z.object({ workspaceId }), body: membersBody };

export const handler = defineEndpoint('remove-members', accepts, async ({ params, body, caller, request }) => {
  const table = resources.table();
  const { id: accountId } = caller.account;
  return answerOnce({ route: 'remove-members', accountId, request }, async (keep) => {
    const workspace = await findWorkspace(table, accountId, params.workspaceId);
    const context = changesOf(table, caller, request.id);
    return answer(await removeMembers(context, workspace, body.user_ids, (change) => keep(answer(change))));
  });
});

function answer({ changed }: MembersChange) {
  return jsonResponse(200, { removed_count: changed });
}
