/** Examples of parts that answers of several resources have. */

import { exampleIds } from '../../http/about.ts';

/** Spending in the current periods. */
export const usageExample = { usage: 120.03, usage_daily: 0.03, usage_weekly: 20.03, usage_monthly: 120.03 };

export const budgetExample = {
  id: '7c2b9f0e-54a1-8d3c-9a77-0b1e2d3c4f5a',
  workspace_id: exampleIds.workspace,
  interval: 'monthly',
  limit_rub: '30000',
  limit_usd: null,
  spend_rub: '1204.55',
  remaining_rub: '28795.45',
  resets_at: '2026-12-01T00:00:00.000Z',
  reset_interval: 'monthly',
  created_at: '2026-09-02T10:11:12.000Z',
  updated_at: '2026-11-03T08:30:00.000Z',
};
export const privacyExample = {
  version: 0,
  blockLogging: false,
  blockTraining: false,
  allowedProviders: [],
  ignoredProviders: [],
};
