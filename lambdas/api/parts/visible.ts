import type { InferenceCaller } from '../../admission/caller.ts';
import type { Payer } from '../../store/accounts/payer.ts';

/**
 * Whether a key may read a request. A key may read all requests of its workspace, but a member's key only this member's
 * requests.
 */
export function isVisible({ payer }: { payer: Payer }, { workspace, member }: InferenceCaller): boolean {
  return payer.workspaceId === workspace.id && (member === undefined || payer.memberId === member.id);
}
