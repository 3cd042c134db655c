import type { InferenceCaller } from '../../admission/caller.ts';
import type { Payer } from '../../store/accounts/payer.ts';

/** A workspace's key sees its workspace; a member's key only what that member has run there. */
export function isVisible({ payer }: { payer: Payer }, { workspace, member }: InferenceCaller): boolean {
  return payer.workspaceId === workspace.id && (member === undefined || payer.memberId === member.id);
}
