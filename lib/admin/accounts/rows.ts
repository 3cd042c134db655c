import { useLimitsView } from '../../../lambdas/management/use-limits.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Account } from '../../../lambdas/store/accounts/accounts.ts';
import { counterFrom, type Counter } from '../../../lambdas/store/counters/counters.ts';
import { limitsOfKey, type ApiKey, type KeyTags } from '../../../lambdas/store/accounts/keys.ts';
import type { Member } from '../../../lambdas/store/accounts/members.ts';
import type { Workspace } from '../../../lambdas/store/accounts/workspaces.ts';
import { limitsText, limitTexts, spendingColumns, spendingOf } from './spending.ts';

const nothingSpent = counterFrom(undefined);
/** Number of digits of a hash in tables, which is usually enough to select a key. */
const HASH_SHOWN = 12;

export function accountRow(account: Account, counter: Counter = nothingSpent) {
  const spending = spendingOf(counter);
  const toppedUp = account.mode === 'prepaid' ? account.limits.lifetime! : undefined;
  return {
    id: account.id,
    name: account.name,
    mode: account.mode,
    status: account.status ?? 'active',
    limits_rub: account.mode === 'postpaid' ? limitTexts(account.limits) : {},
    topped_up_rub: toppedUp?.toString() ?? null,
    /** `topped_up_rub` minus the spending. The holds of running requests are not subtracted. */
    balance_rub: toppedUp?.minus(Money.parse(spending.spent_rub.lifetime)).toString() ?? null,
    ...spending,
    default_workspace_id: account.defaultWorkspaceId,
    records_spread_since: account.recordsSpreadSince ?? null,
    created_at: account.createdAt,
  };
}

export function accountTableRow(row: ReturnType<typeof accountRow>) {
  const { id, name, mode, status, balance_rub } = row;
  return { id, name, mode, status, balance_rub, ...spendingColumns(row) };
}

export function workspaceRow(workspace: Workspace, counter = nothingSpent) {
  const { id, name, slug, isDefault, status, limits } = workspace;
  return {
    id,
    name,
    slug,
    is_default: isDefault,
    status,
    limits_rub: limitTexts(limits),
    ...useLimitsView(workspace),
    ...spendingOf(counter),
  };
}

export function workspaceTableRow(row: ReturnType<typeof workspaceRow>) {
  const { id, name, slug, status, limits_rub: limits } = row;
  return { id, name, slug, status, limits_rub: limitsText(limits), ...spendingColumns(row) };
}

export function memberRow(member: Member, counter = nothingSpent) {
  const { id, removed, limits, createdAt } = member;
  const budgets = { limits_rub: limitTexts(limits) };
  return { id, removed, ...budgets, ...useLimitsView(member), ...spendingOf(counter), created_at: createdAt };
}

export function memberTableRow(row: ReturnType<typeof memberRow>) {
  const { id, removed, limits_rub: limits } = row;
  return { id, state: removed ? 'removed' : 'active', limits_rub: limitsText(limits), ...spendingColumns(row) };
}

export function keyRow(key: ApiKey, counter = nothingSpent) {
  return {
    hash: key.hash,
    kind: key.kind,
    label: key.label,
    name: key.name,
    disabled: key.disabled,
    workspace_id: key.workspaceId ?? null,
    member_id: key.memberId ?? null,
    limits_rub: limitTexts(limitsOfKey(key)),
    limit_reset: key.limitReset ?? null,
    ...useLimitsView(key),
    ...spendingOf(counter),
    expires_at: key.expiresAt ?? null,
    tags: key.tags ?? {},
    created_at: key.createdAt,
  };
}

function tagsText(tags: KeyTags): string | null {
  const named = Object.entries(tags).map((tag) => tag.join('='));
  return named.length === 0 ? null : named.join(' ');
}

export function keyTableRow(row: ReturnType<typeof keyRow>) {
  const { hash, name, label, member_id: member, disabled, expires_at: expires, limits_rub: limits } = row;
  const hasExpired = expires !== null && Date.parse(expires) <= nowMs();
  return {
    hash: hash.slice(0, HASH_SHOWN),
    kind: row.kind,
    name,
    label,
    member,
    state: disabled ? 'disabled' : hasExpired ? 'expired' : 'active',
    tags: tagsText(row.tags),
    limit_rub: limitsText(limits),
    ...spendingColumns(row),
  };
}
