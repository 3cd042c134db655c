import { exampleIds, exampleTime, ok, tagged } from '../../http/about.ts';
import { alertsAnswer, deliveryListAnswer } from './shape.ts';

const exampleAlerts = {
  thresholds: [50, 80, 95, 100],
  webhook_url: 'https://example.com/alerts',
  email: 'team@example.com',
};
const alerts = (setOn: 'account' | 'workspace' | 'key') => ({
  data: {
    set_on: setOn,
    ...exampleAlerts,
    format: 'standard',
    chat_id: null,
    low_balance_rub: null,
    low_balance_percent: null,
  },
});
const alertRules =
  'The body replaces all settings. An empty body removes them, so that the settings of the workspace or account apply again; `{"thresholds": []}` turns notices about limits off.';
const now = 'The settings that are in force now.';

export const alertRoutes = tagged('Alerts', {
  'get-account-alerts': {
    summary: 'Read the alerts of the account',
    success: ok(now, alertsAnswer, alerts('account')),
    etag: true,
  },
  'set-account-alerts': {
    summary: 'Set the alerts of the account',
    description: `The settings apply to everything in the account that has no settings of its own. ${alertRules}`,
    bodyExample: { ...exampleAlerts, low_balance_rub: 500 },
    success: ok(now, alertsAnswer, alerts('account')),
    ifMatch: true,
    etag: true,
  },
  'list-alert-deliveries': {
    summary: 'List sent alerts',
    description: 'The notices of the last 30 days, newest first, each with the result of its last attempt.',
    success: ok('The deliveries, newest first, without older ones.', deliveryListAnswer, {
      data: [
        {
          id: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
          type: 'alert.limit.threshold',
          channel: 'webhook',
          set_on: 'workspace',
          owner_id: exampleIds.workspace,
          text: 'The key "search" has used 80 % of its daily limit.',
          state: 'delivered',
          attempts: 1,
          reason: 'delivered',
          created_at: exampleTime,
          next_attempt_at: null,
          delivered_at: exampleTime,
        },
      ],
    }),
  },
  'get-workspace-alerts': {
    summary: 'Read the alerts of a workspace',
    success: ok(now, alertsAnswer, alerts('workspace')),
    etag: true,
  },
  'set-workspace-alerts': {
    summary: 'Set the alerts of a workspace',
    description: `The settings apply to the budgets of the workspace and its members, and to keys without settings of their own. ${alertRules}`,
    bodyExample: exampleAlerts,
    success: ok(now, alertsAnswer, alerts('workspace')),
    ifMatch: true,
    etag: true,
  },
  'get-key-alerts': {
    summary: 'Read the alerts of a key',
    success: ok(now, alertsAnswer, alerts('key')),
    etag: true,
  },
  'set-key-alerts': {
    summary: 'Set the alerts of a key',
    description: `The settings apply to the limit of the key. ${alertRules}`,
    bodyExample: exampleAlerts,
    success: ok(now, alertsAnswer, alerts('key')),
    ifMatch: true,
    etag: true,
  },
});
