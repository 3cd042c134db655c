/** Fields of OpenRouter's API for features that this gateway lacks, such as clients' own provider keys (BYOK). */
export const keyConventionFields = {
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  include_byok_in_limit: false,
  creator_user_id: null,
} as const;
