import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { changesOf } from '../../management/change.ts';
import { addMembers, type MembersChange } from '../../management/members.ts';
import { memberViews } from '../../management/workspace-view.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { readCounters } from '../../store/counters.ts';
import { memberScope } from '../../store/payer.ts';
import { request as schemas } from './schema.ts';

export const handler = defineEndpoint('add-members', schemas, async ({ params, body, caller, request }) => {
  const table = resources.table();
  const { id: accountId } = caller.account;
  return answerOnce({ route: 'add-members', accountId, request }, async (keep) => {
    const workspace = await findWorkspace(table, accountId, params.workspaceId);
    const scopeIds = body.user_ids.map((id) => memberScope(workspace.id, id).id);
    const counterOf = await readCounters(table, 'member', [...new Set(scopeIds)]);
    const answer = ({ changed, members }: MembersChange) =>
      jsonResponse(200, { added_count: changed, data: memberViews(workspace.id, members, counterOf) });
    const context = changesOf(table, caller, request.id);
    return answer(await addMembers(context, workspace, body.user_ids, (change) => keep(answer(change))));
  });
});
