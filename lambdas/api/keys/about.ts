import { created, exampleIds, exampleTime, ok, tagged } from '../../http/about.ts';
import { deletedAnswer } from '../../http/shapes.ts';
import { privacyExample, useLimitsExample } from '../parts/about.ts';
import { createdKeyAnswer, currentKeyAnswer, keyAnswer, keyListAnswer, rotatedKeyAnswer } from './shape.ts';
import { keyConventionFields } from './convention.ts';

const spendingExample = {
  limit: 500,
  limit_remaining: 479.97,
  limit_reset: 'monthly',
  usage: 120.03,
  usage_daily: 4.5,
  usage_weekly: 20.03,
  usage_monthly: 20.03,
  currency: 'RUB',
};

const sensitiveExample = { enabled: false, action: 'replace', categories: [], restore: true };

const key = {
  hash: '5ff7'.repeat(16),
  workspace_id: exampleIds.workspace,
  member_id: 'ann',
  name: "Ann's laptop",
  label: 'sk-mg-v1-a2c…565',
  disabled: false,
  ...spendingExample,
  privacy: privacyExample,
  ...useLimitsExample,
  allowed_models: ['sandbox/claude', 'sandbox/gpt*'],
  rpm_limit: 60,
  sensitive_data: { ...sensitiveExample, dictionary: [] },
  created_at: exampleTime,
  updated_at: exampleTime,
  tags: { project: 'search' },
  ...keyConventionFields,
};

const secret = `sk-mg-v1-${'0'.repeat(64)}`;

const currentKey = {
  label: key.label,
  ...spendingExample,
  usage_limit_period: 20.03,
  is_management_key: false,
  is_free_tier: false,
  organization_id: exampleIds.account,
  workspace_id: exampleIds.workspace,
  sensitive_data: { ...sensitiveExample, dictionary_count: 0 },
  ...keyConventionFields,
  allowed_data_regions: [],
  free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
  is_provisioning_key: false,
  rate_limit: { requests: -1, interval: '10s', note: 'This field is deprecated and safe to ignore.' },
};

export const keys = {
  ...tagged('Account', {
    'get-current-key': {
      summary: 'Read the calling key',
      description: 'Limit, spending and settings of the key that the request itself is sent with.',
      success: ok('Limit, spending and settings of the key.', currentKeyAnswer, { data: currentKey }),
    },
  }),
  ...tagged('Keys', {
    'list-keys': {
      summary: 'List inference keys',
      description: 'The inference keys of one workspace, the oldest first.',
      success: ok('A page of keys, and how many there are.', keyListAnswer, { data: [key], total_count: 1 }),
      errors: ['not_found'],
    },
    'create-key': {
      summary: 'Create an inference key',
      bodyExample: { name: "Ann's laptop", limit: 500, limit_reset: 'monthly' },
      success: created('The key with its secret, which is never shown again.', createdKeyAnswer, {
        data: { ...key, key: secret },
        key: secret,
      }),
      errors: ['not_found'],
      etag: true,
    },
    'get-key': {
      summary: 'Read an inference key',
      success: ok('The key as it is now.', keyAnswer, { data: key }),
      etag: true,
    },
    'update-key': {
      summary: 'Change an inference key',
      description:
        'Changes the fields that are sent, and leaves the others as they are; null removes a setting, such as `limit` or `expires_at`. A changed limit applies from the next request on; if the key had no limit before, within three seconds. A disabled key stops working within five seconds. A key cannot be moved to another workspace or member.',
      bodyExample: { disabled: true },
      success: ok('The key as it is now.', keyAnswer, { data: { ...key, disabled: true } }),
      ifMatch: true,
      etag: true,
    },
    'rotate-key': {
      summary: 'Replace the secret of an inference key',
      description:
        'Gives the key a new secret. The key keeps its `hash`, its settings, its spending and its history. The replaced secret works for `expires_old_in_seconds` more, by default for a day; after that, it stops within five seconds. Earlier replaced secrets stop by then, too. For a leaked key, pass 0.',
      bodyExample: { expires_old_in_seconds: 86_400 },
      success: ok('The key with its new secret, which is never shown again.', rotatedKeyAnswer, {
        data: { ...key, key: secret, old_key_expires_at: exampleTime },
        key: secret,
      }),
      ifMatch: true,
      etag: true,
    },
    'delete-key': {
      summary: 'Delete an inference key',
      description:
        'The key stops working within five seconds. A stream that is running may still use the money that is held (set aside) for it. The history of the key stays.',
      success: ok('The key was deleted and does not work any more.', deletedAnswer, { deleted: true }),
      ifMatch: true,
    },
  }),
};
