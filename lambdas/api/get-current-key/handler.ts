import { defineEndpoint } from '../../http/define-endpoint.ts';
import { resources } from '../../resources.ts';
import { jsonResponse } from '../../http/response.ts';
import { Money } from '../../money/money.ts';
import { windowsAt } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { counterFrom, readCounter, remaining, type Counter } from '../../store/counters.ts';
import { keyLimit } from '../../store/keys.ts';
import { keyUsage } from './usage.ts';

/** Fields of the public convention for features that this gateway does not have. */
const conventionFields = {
  allowed_data_regions: [],
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  include_byok_in_limit: false,
  creator_user_id: null,
  free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
  is_provisioning_key: false,
  rate_limit: { requests: -1, interval: '10s', note: 'This field is deprecated and safe to ignore.' },
};

const NO_SENSITIVE_DATA = { enabled: false, action: 'replace', categories: [], dictionary_count: 0 };

export const handler = defineEndpoint('get-current-key', {}, async ({ caller: { key, account } }) => {
  const windows = windowsAt(nowMs());
  const counter = await counterOf(key.kind, key.hash);
  const limit = keyLimit(key);
  return jsonResponse(200, {
    data: {
      ...conventionFields,
      label: key.label,
      currency: 'RUB',
      limit: limit ? key.limits[limit.interval] : null,
      limit_remaining: limit ? remaining({ ...counter, limits: key.limits }, windows) : null,
      limit_reset: limit?.resets ?? null,
      ...keyUsage(counter, windows),
      usage_limit_period: counter.spent(windows[limit?.interval ?? 'lifetime']),
      expires_at: key.expiresAt ?? null,
      is_management_key: key.kind === 'management',
      is_free_tier: account.mode === 'prepaid' && (account.limits.lifetime ?? Money.zero).isZero,
      organization_id: account.id,
      workspace_id: key.workspaceId ?? null,
      sensitive_data: NO_SENSITIVE_DATA,
    },
  });
});

/** A management key spends nothing, so it has no counter. */
async function counterOf(kind: 'inference' | 'management', hash: string): Promise<Counter> {
  return kind === 'inference' ? readCounter(resources.table(), { kind: 'key', id: hash }) : counterFrom(undefined);
}
