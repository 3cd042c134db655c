import type { InferenceCaller } from '../../admission/caller.ts';
import type { Payer } from '../../store/accounts/payer.ts';

/** A workspace's key sees its workspace. A member's key sees only the member's own requests there. */
export function isVisible({ payer }: { payer: Payer }, { workspace, member }: InferenceCaller): boolean {
  return payer.workspaceId === workspace.id && (member === undefined || payer.memberId === member.id);
}
