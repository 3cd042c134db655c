import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { changeBody } from '../../http/fields.ts';
import { memberId, workspaceId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { updateMember } from '../../management/members.ts';
import { useLimitsOf } from '../../management/use-limits.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { useLimitFieldsFor } from '../parts/use-limit-fields.ts';
import type { MemberAnswer } from './shape.ts';
import { showMembers } from './view.ts';

export const accepts = {
  params: z.object({ workspaceId, memberId }),
  body: changeBody(useLimitFieldsFor('each key of the member')),
};

export const handler = defineEndpoint('update-member', accepts, async ({ params, body, caller, request }) => {
  const table = resources.table();
  const workspace = await findWorkspace(table, caller.account.id, params.workspaceId);
  const member = await updateMember(
    changesOf(table, caller, request.id),
    workspace,
    { memberId: params.memberId, expectedVersion: expectedVersion(request) },
    useLimitsOf(body),
  );
  const [shown] = await showMembers(table, workspace.id, [member]);
  return jsonResponse<MemberAnswer>(200, { data: shown! }, etag(member.version));
});
