import * as z from 'zod';
import { constants, countShape, dataShape, listShape, nothing, rub, time, uuid } from '../../http/shapes.ts';
import { limitResets } from '../../store/keys.ts';
import { sensitiveActions, sensitiveCategories } from '../../store/sensitive-data.ts';
import { privacyShape } from '../parts/shape.ts';
import { keyConventionFields } from './convention.ts';

const sensitiveSettings = {
  enabled: z.boolean(),
  action: z.enum(sensitiveActions),
  categories: z.array(z.enum(sensitiveCategories)),
  restore: z.boolean(),
};

const spending = {
  limit: rub.nullable(),
  limit_remaining: rub.nullable().meta({
    description: 'The roubles that are left in the current period, after holds of running requests; null for no limit.',
  }),
  limit_reset: z.enum(limitResets).nullable(),
  usage: rub,
  usage_daily: rub,
  usage_weekly: rub,
  usage_monthly: rub,
  currency: z.literal('RUB'),
};
export type KeySpending = z.output<z.ZodObject<typeof spending>>;

const keyFields = {
  hash: z.string(),
  workspace_id: uuid,
  member_id: z.string().nullable(),
  name: z.string(),
  label: z.string().meta({ description: 'The first and last characters of the key.' }),
  disabled: z.boolean(),
  ...spending,
  privacy: privacyShape,
  sensitive_data: z.strictObject({
    ...sensitiveSettings,
    dictionary: z.array(z.strictObject({ term: z.string(), substitute: z.string() })),
  }),
  created_at: time,
  updated_at: time.meta({ description: 'The time of the last change, or of the creation.' }),
  expires_at: time.nullable(),
  ...constants(keyConventionFields),
  external_user: nothing,
};

const keyShape = z.strictObject(keyFields).meta({ id: 'Key' });
export type KeyBody = z.output<typeof keyShape>;

export const keyAnswer = dataShape(keyShape);
export type KeyAnswer = z.output<typeof keyAnswer>;

export const keyListAnswer = listShape(keyShape);
export type KeyListAnswer = z.output<typeof keyListAnswer>;

export const createdKeyAnswer = z.strictObject({
  data: z
    .strictObject({
      ...keyFields,
      key: z.string().meta({ description: 'The key itself; this is the only time that it is shown.' }),
    })
    .meta({ id: 'CreatedKey' }),
  key: z.string(),
});
export type CreatedKeyAnswer = z.output<typeof createdKeyAnswer>;

export const currentKeyAnswer = dataShape(
  z
    .strictObject({
      label: z.string(),
      ...spending,
      usage_limit_period: rub.meta({ description: 'Spending in the window of the limit.' }),
      expires_at: time.nullable(),
      is_management_key: z.boolean(),
      is_free_tier: z.boolean().meta({
        description:
          'The account is not funded: it is prepaid, and neither its balance nor its top-ups reach what free models ask for.',
      }),
      organization_id: uuid,
      workspace_id: uuid.nullable(),
      sensitive_data: z.strictObject({ ...sensitiveSettings, dictionary_count: countShape }),
      ...constants(keyConventionFields),
      allowed_data_regions: z.array(z.string()),
      free_model_daily_requests: z
        .strictObject({ limit: countShape, remaining: countShape, used: countShape })
        .meta({ description: 'The requests of the account to all free models, in this UTC day.' }),
      is_provisioning_key: z.boolean().meta({ description: 'The older name of `is_management_key`.' }),
      rate_limit: z.strictObject({ requests: z.int(), interval: z.string(), note: z.string() }),
    })
    .meta({ id: 'CurrentKey' }),
);
export type CurrentKeyAnswer = z.output<typeof currentKeyAnswer>;
