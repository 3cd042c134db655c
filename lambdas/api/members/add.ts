import * as z from 'zod';
import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { workspaceId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { changesOf } from '../../management/change.ts';
import { addMembers, type MembersChange } from '../../management/members.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { readCounters } from '../../store/counters/counters.ts';
import { memberScope } from '../../store/accounts/payer.ts';
import { membersBody } from './fields.ts';
import type { AddedMembersAnswer } from './shape.ts';
import { memberViews } from './view.ts';

export const accepts = { once: answerOnce, params: z.object({ workspaceId }), body: membersBody };

export const handler = defineEndpoint('add-members', accepts, async ({ params, body, caller, request, once }) => {
  const table = resources.table();
  const { id: accountId } = caller.account;
  return once(async (keep) => {
    const workspace = await findWorkspace(table, accountId, params.workspaceId);
    const scopeIds = body.user_ids.map((id) => memberScope(workspace.id, id).id);
    const counterOf = await readCounters(table, 'member', [...new Set(scopeIds)]);
    const answer = ({ changed, members }: MembersChange) =>
      jsonResponse<AddedMembersAnswer>(200, {
        added_count: changed,
        data: memberViews(workspace.id, members, counterOf),
      });
    const context = changesOf(table, caller, request.id);
    return answer(await addMembers(context, workspace, body.user_ids, (change) => keep(answer(change))));
  });
});
