/** Fields of OpenRouter's API for clients' own provider keys (BYOK), a feature that this gateway does not have. */
export const keyConventionFields = {
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  include_byok_in_limit: false,
  creator_user_id: null,
} as const;
