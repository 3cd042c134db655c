import { keyConventionFields } from '../../lambdas/api/keys/view.ts';
import { workspaceConventionFields } from '../../lambdas/api/workspaces/view.ts';

/** Values for examples; the ids are nobody's. */
const workspaceId = '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d';
const accountId = '01a1faa2-7c1d-7aa0-9c11-55aa00bb11cc';
const at = '2026-11-20T20:24:49.145Z';
const privacy = { version: 0, blockLogging: false, blockTraining: false, allowedProviders: [], ignoredProviders: [] };

export const budgetExample = {
  id: '7c2b9f0e-54a1-8d3c-9a77-0b1e2d3c4f5a',
  workspace_id: workspaceId,
  interval: 'monthly',
  limit_rub: '30000',
  spend_rub: '1204.55',
  remaining_rub: '28795.45',
  resets_at: '2026-12-01T00:00:00.000Z',
};

export const memberBudgetExample = { ...budgetExample, member_id: 'ann' };

export const workspaceExample = {
  id: workspaceId,
  account_id: accountId,
  name: 'Production',
  slug: 'production',
  description: '',
  is_default: false,
  status: 'active',
  created_at: at,
  updated_at: at,
  privacy,
  budgets: [budgetExample],
  ...workspaceConventionFields,
};

export const memberExample = {
  id: 'ann',
  user_id: 'ann',
  workspace_id: workspaceId,
  role: 'member',
  created_at: at,
  budgets: [],
};

const spending = {
  limit: 500,
  limit_remaining: 479.97,
  limit_reset: 'monthly',
  usage: 120.03,
  usage_daily: 4.5,
  usage_weekly: 20.03,
  usage_monthly: 20.03,
  currency: 'RUB',
};

const sensitive = { enabled: false, action: 'replace', categories: [], restore: true };

export const keyExample = {
  hash: '5ff7'.repeat(16),
  workspace_id: workspaceId,
  member_id: 'ann',
  name: "Ann's laptop",
  label: 'sk-mg-v1-a2c…565',
  disabled: false,
  ...spending,
  privacy,
  sensitive_data: { ...sensitive, dictionary: [] },
  created_at: at,
  updated_at: at,
  expires_at: null,
  ...keyConventionFields,
  external_user: null,
};

const secret = `sk-mg-v1-${'0'.repeat(64)}`;
export const createdKeyExample = { data: { ...keyExample, key: secret }, key: secret };

export const currentKeyExample = {
  label: 'sk-mg-v1-a2c…565',
  ...spending,
  usage_limit_period: 20.03,
  expires_at: null,
  is_management_key: false,
  is_free_tier: false,
  organization_id: accountId,
  workspace_id: workspaceId,
  sensitive_data: { ...sensitive, dictionary_count: 0 },
  ...keyConventionFields,
  allowed_data_regions: [],
  free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
  is_provisioning_key: false,
  rate_limit: { requests: -1, interval: '10s', note: 'This field is deprecated and safe to ignore.' },
};

export const activityExample = {
  date: '2026-11-19',
  model: 'sandbox/claude',
  model_permaslug: 'sandbox/claude-20261120',
  endpoint_id: 'sandbox/claude',
  provider_name: 'Sandbox',
  usage: 12.0375,
  byok_usage_inference: 0,
  requests: 31,
  prompt_tokens: 10_220,
  completion_tokens: 5_981,
  reasoning_tokens: 0,
};

export const messagesBodyExample = {
  model: 'sandbox/claude',
  max_tokens: 200,
  messages: [{ role: 'user', content: 'Hello!' }],
};

export const messageExample = {
  id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  type: 'message',
  role: 'assistant',
  model: 'sandbox/claude',
  content: [{ type: 'text', text: 'Hello! How can I help?' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 4, output_tokens: 8, cost: 0.0132 },
};
