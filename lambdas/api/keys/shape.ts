import * as z from 'zod';
import { constants, countShape, dataShape, listShape, nothing, rub, tagsShape, time, uuid } from '../../http/shapes.ts';
import { limitResets } from '../../store/accounts/keys.ts';
import { sensitiveActions, sensitiveCategories } from '../../store/accounts/sensitive-data.ts';
import { periodUsageShape, privacyShape, useLimitsShape } from '../parts/shape.ts';
import { keyConventionFields } from './convention.ts';

const sensitiveSettings = {
  enabled: z.boolean().meta({ description: 'Whether prompts are searched for sensitive data.' }),
  action: z.enum(sensitiveActions).meta({
    description: 'With `replace` providers get placeholders in place of the data; with `block` the request is refused.',
  }),
  categories: z.array(z.enum(sensitiveCategories)).meta({ description: 'The kinds of data that are looked for.' }),
  restore: z.boolean().meta({ description: 'Whether placeholders in the answer are replaced by the original data.' }),
};

const spendingShape = {
  limit: rub.nullable().meta({ description: 'The most that the key may spend, in roubles; null for no limit.' }),
  limit_remaining: rub.nullable().meta({
    description:
      'The remaining roubles in the current period, minus the amount held (set aside) for running requests; null for no limit.',
  }),
  limit_reset: z
    .enum(limitResets)
    .nullable()
    .meta({ description: 'How often the limit starts anew, in UTC; null for never.' }),
  ...periodUsageShape,
  currency: z.literal('RUB'),
};
export type KeySpending = z.output<z.ZodObject<typeof spendingShape>>;

const keyFields = {
  hash: z.string().meta({ description: 'The hash that names the key in this API; the key itself is shown only once.' }),
  workspace_id: uuid.meta({ description: 'The id of the workspace that the key spends in.' }),
  member_id: z
    .string()
    .nullable()
    .meta({ description: 'The id of the member that spends with the key; null for none.' }),
  name: z.string().meta({ description: 'A label of your choice; nothing depends on it.' }),
  label: z.string().meta({ description: 'The first and last characters of the key.' }),
  disabled: z.boolean().meta({
    description: 'Whether the key is switched off; its requests are refused at most five seconds after that.',
  }),
  ...spendingShape,
  privacy: privacyShape,
  ...useLimitsShape,
  sensitive_data: z
    .strictObject({
      ...sensitiveSettings,
      dictionary: z
        .array(
          z.strictObject({
            term: z.string().meta({ description: 'The term that is looked for, as a whole word.' }),
            substitute: z.string().meta({ description: 'The text that providers get in place of the term.' }),
          }),
        )
        .meta({ description: 'Terms of your own, and the text that providers get in place of each.' }),
    })
    .meta({ description: 'The parts of prompts that are kept from providers.' }),
  created_at: time.meta({ description: 'The time at which the key was created.' }),
  updated_at: time.meta({ description: 'The time of the last change, or of the creation.' }),
  expires_at: time.nullable().meta({ description: 'The time at which the key stops working; null for never.' }),
  tags: tagsShape,
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
  key: z.string().meta({ description: 'The key itself; this is the only time that it is shown.' }),
});
export type CreatedKeyAnswer = z.output<typeof createdKeyAnswer>;

export const rotatedKeyAnswer = z.strictObject({
  data: z
    .strictObject({
      ...keyFields,
      key: z.string().meta({ description: 'The new secret of the key; this is the only time that it is shown.' }),
      old_key_expires_at: time.nullable().meta({
        description: 'The time until which the replaced secret works; null if it has stopped working.',
      }),
    })
    .meta({ id: 'RotatedKey' }),
  key: z.string().meta({ description: 'The new secret of the key; this is the only time that it is shown.' }),
});
export type RotatedKeyAnswer = z.output<typeof rotatedKeyAnswer>;

export const currentKeyAnswer = dataShape(
  z
    .strictObject({
      label: z.string().meta({ description: 'The beginning and the end of the key, to recognise it by.' }),
      ...spendingShape,
      usage_limit_period: rub.meta({ description: 'The roubles spent in the current period of the limit.' }),
      expires_at: time.nullable().meta({ description: 'The time at which the key stops working; null for never.' }),
      is_management_key: z
        .boolean()
        .meta({ description: 'Whether this is a management key: it changes settings, and cannot call models.' }),
      is_free_tier: z.boolean().meta({
        description:
          'Whether the lower daily limit of requests to free models applies: the account is prepaid, and neither its balance nor its top-ups reach the thresholds in `service_free` of those models.',
      }),
      organization_id: uuid.meta({ description: 'The id of the account that the key belongs to.' }),
      workspace_id: uuid.nullable().meta({ description: 'The id of the workspace that the key spends in.' }),
      sensitive_data: z
        .strictObject({
          ...sensitiveSettings,
          dictionary_count: countShape.meta({ description: 'The number of terms in the dictionary.' }),
        })
        .meta({
          description: 'The parts of prompts that are kept from providers, without the terms of the dictionary.',
        }),
      ...constants(keyConventionFields),
      allowed_data_regions: z.array(z.string()).meta({
        description: 'Always an empty list, which stands for all regions. Clients of OpenRouter’s API read this field.',
      }),
      free_model_daily_requests: z
        .strictObject({
          limit: countShape.meta({ description: 'The most requests to free models in a UTC day.' }),
          remaining: countShape.meta({ description: 'The requests to free models that are left today.' }),
          used: countShape.meta({ description: 'The requests to free models that were made today.' }),
        })
        .meta({ description: 'The requests of the account to all free models, in this UTC day.' }),
      is_provisioning_key: z.boolean().meta({ description: 'The older name of `is_management_key`.' }),
      rate_limit: z
        .strictObject({
          requests: z.int().meta({
            description:
              'The most requests in the interval (`rpm_limit` of key, workspace and member); -1 for no limit.',
          }),
          interval: z.string().meta({ description: 'The interval: `60s`, and `10s` without a limit.' }),
          note: z.string().meta({ description: 'A text for people: the field is deprecated, and safe to ignore.' }),
        })
        .meta({
          description: 'The limit on requests. Clients of OpenRouter’s API read this field.',
        }),
    })
    .meta({ id: 'CurrentKey' }),
);
export type CurrentKeyAnswer = z.output<typeof currentKeyAnswer>;
