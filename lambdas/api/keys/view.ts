import { windowsAt } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { remaining, type Counter } from '../../store/counters/counters.ts';
import { limitsOfKey, type ApiKey } from '../../store/accounts/keys.ts';
import { useLimitsView } from '../../management/use-limits.ts';
import { periodUsage, privacyView } from '../parts/view.ts';
import { keyConventionFields } from './convention.ts';
import type { KeySpending, KeyBody } from './shape.ts';

/** Returns the limit and the spending of a key. Money is in exact numbers of roubles. */
export function keySpending(key: ApiKey, counter: Counter): KeySpending {
  return {
    limit: key.limit ?? null,
    limit_remaining: remaining({ ...counter, limits: limitsOfKey(key) }, windowsAt(nowMs())) ?? null,
    limit_reset: key.limitReset ?? null,
    ...periodUsage(counter),
    currency: 'RUB',
  };
}

/** Converts an inference key to the response of the management API. */
export function keyView(key: ApiKey, counter: Counter): KeyBody {
  return {
    hash: key.hash,
    workspace_id: key.workspaceId!,
    member_id: key.memberId ?? null,
    name: key.name,
    label: key.label,
    disabled: key.disabled,
    ...keySpending(key, counter),
    privacy: privacyView(key.privacy),
    ...useLimitsView(key),
    sensitive_data: key.sensitiveData,
    created_at: key.createdAt,
    updated_at: key.updatedAt ?? key.createdAt,
    expires_at: key.expiresAt ?? null,
    tags: key.tags ?? {},
    ...keyConventionFields,
    external_user: null,
  };
}
