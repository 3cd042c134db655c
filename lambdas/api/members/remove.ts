import * as z from 'zod';
import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { workspaceId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { changesOf } from '../../management/change.ts';
import { removeMembers, type MembersChange } from '../../management/members.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { membersBody } from './fields.ts';
import type { RemovedMembersAnswer } from './shape.ts';

export const accepts = { once: answerOnce, params: z.object({ workspaceId }), body: membersBody };

export const handler = defineEndpoint('remove-members', accepts, async ({ params, body, caller, request, once }) => {
  const table = resources.table();
  const { id: accountId } = caller.account;
  return once(async (keep) => {
    const workspace = await findWorkspace(table, accountId, params.workspaceId);
    const context = changesOf(table, caller, request.id);
    return removedBody(await removeMembers(context, workspace, body.user_ids, (change) => keep(removedBody(change))));
  });
});

function removedBody({ changed }: MembersChange) {
  return jsonResponse<RemovedMembersAnswer>(200, { removed_count: changed });
}
