import type { InferenceCaller } from '../../admission/caller.ts';
import type { Payer } from '../../store/accounts/payer.ts';

/**
 * Returns whether a key may read a request. A workspace's key may read all requests of its workspace. A member's key
 * may read only this member's requests in the workspace.
 */
export function isVisible({ payer }: { payer: Payer }, { workspace, member }: InferenceCaller): boolean {
  return payer.workspaceId === workspace.id && (member === undefined || payer.memberId === member.id);
}
