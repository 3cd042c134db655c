import type { Caller } from '../../admission/caller.ts';
import { rateLimitsOf } from '../../admission/rates/rate-limits.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { windowsAt } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { resources } from '../../resources.ts';
import { counterFrom, readCounter, type Counter } from '../../store/counters/counters.ts';
import { limitInterval, type KeyKind } from '../../store/accounts/keys.ts';
import type { CurrentKeyAnswer } from './shape.ts';
import { keyConventionFields } from './convention.ts';
import { readFreeUse } from './free-use.ts';
import { keySpending } from './view.ts';

export const handler = defineEndpoint('get-current-key', {}, async ({ caller }) => {
  const { key, account } = caller;
  const [counter, free] = await Promise.all([counterOfKey(key.kind, key.hash), readFreeUse(account)]);
  const isManagementKey = key.kind === 'management';
  const { dictionary, ...sensitiveData } = key.sensitiveData;
  return jsonResponse<CurrentKeyAnswer>(200, {
    data: {
      // Fields of OpenRouter's API for features that this gateway does not have.
      ...keyConventionFields,
      allowed_data_regions: [],
      free_model_daily_requests: free.dailyRequests,
      rate_limit: { ...rateLimit(caller), note: 'This field is deprecated and safe to ignore.' },
      label: key.label,
      ...keySpending(key, counter),
      usage_limit_period: counter.spent(windowsAt(nowMs())[limitInterval(key)]),
      expires_at: key.expiresAt ?? null,
      is_management_key: isManagementKey,
      // Older name of `is_management_key` in OpenRouter's API.
      is_provisioning_key: isManagementKey,
      is_free_tier: !free.isFunded,
      organization_id: account.id,
      workspace_id: key.workspaceId ?? null,
      // A key can read the number of terms in its dictionary, but not the terms.
      sensitive_data: { ...sensitiveData, dictionary_count: dictionary.length },
    },
  });
});

/** Returns the rate limit in the form of OpenRouter's API: -1 stands for no limit. */
function rateLimit(caller: Caller) {
  const requests = rateLimitsOf(caller)?.requests;
  return requests === undefined ? { requests: -1, interval: '10s' } : { requests, interval: '60s' };
}

/** Returns the counter of a key. A management key spends nothing, so its counter is empty. */
async function counterOfKey(kind: KeyKind, hash: string): Promise<Counter> {
  return kind === 'inference' ? readCounter(resources.table(), { kind: 'key', id: hash }) : counterFrom(undefined);
}
