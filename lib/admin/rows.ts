/** Records as the command line shows them, with the names of the API. */

import type { Account } from '../../lambdas/store/accounts.ts';
import { limitsOfKey, type ApiKey } from '../../lambdas/store/keys.ts';
import type { Limits } from '../../lambdas/store/limits.ts';
import type { Workspace } from '../../lambdas/store/workspaces.ts';
import type { Row } from './output.ts';

export function accountRow(account: Account): Row {
  return {
    id: account.id,
    name: account.name,
    mode: account.mode,
    topped_up_rub: account.mode === 'prepaid' ? account.limits.lifetime!.toString() : null,
    default_workspace_id: account.defaultWorkspaceId,
    created_at: account.createdAt,
  };
}

export function workspaceRow({ id, name, slug, isDefault, status, limits }: Workspace): Row {
  return { id, name, slug, is_default: isDefault, status, ...limitColumns(limits) };
}

export function keyRow(key: ApiKey): Row {
  return {
    hash: key.hash,
    kind: key.kind,
    label: key.label,
    name: key.name,
    disabled: key.disabled,
    workspace_id: key.workspaceId ?? null,
    member_id: key.memberId ?? null,
    ...limitColumns(limitsOfKey(key)),
    expires_at: key.expiresAt ?? null,
    created_at: key.createdAt,
  };
}

export function limitColumns(limits: Limits): Row {
  return {
    limits_rub: Object.fromEntries(Object.entries(limits).map(([interval, limit]) => [interval, limit.toString()])),
  };
}
