import * as z from 'zod';
import { amount, futureTime, textField } from '../../http/fields.ts';
import { privacySettings } from '../../http/privacy-field.ts';
import { nameRule } from '../../management/rules.ts';
import { nowMs } from '../../platform/clock.ts';
import { shortTextRule } from '../../platform/text-rule.ts';
import { limitResets } from '../../store/keys.ts';
import { sensitiveActions, sensitiveCategories } from '../../store/sensitive-data.ts';

const MAX_DICTIONARY = 200;
const termRule = shortTextRule(1, 100);
const substituteRule = shortTextRule(0, 100);
/** A page of a hundred keys must fit into one answer, and a key is read with every request. */
const MAX_DICTIONARY_BYTES = 32_768;

const sensitiveData = z
  .strictObject({
    enabled: z.boolean().nullish(),
    action: z.enum(sensitiveActions).nullish(),
    categories: z.array(z.enum(sensitiveCategories)).max(sensitiveCategories.length).nullish(),
    dictionary: z
      .array(z.strictObject({ term: textField(termRule), substitute: textField(substituteRule) }))
      .max(MAX_DICTIONARY)
      .refine((entries) => Buffer.byteLength(JSON.stringify(entries)) <= MAX_DICTIONARY_BYTES, 'must be at most 32 KB')
      .nullish(),
    restore: z.boolean().nullish(),
  })
  .nullish()
  .meta({
    description:
      'What is to be kept from providers: values of the categories become placeholders and are restored in the answer (`replace`), or requests that have any are refused (`block`). Terms of the dictionary become their substitute. `enabled: true` needs a category or a term.',
    example: { enabled: true, action: 'replace', categories: ['email', 'phone'] },
  });

/** Settings of a key that can be set at its creation and changed later; null clears. */
export const keySettings = {
  limit: amount.nullish().meta({ description: 'Spending limit in RUB; null: none; 0 blocks the key.', example: 500 }),
  limit_reset: z
    .enum(limitResets)
    .nullish()
    .meta({ description: 'Period (UTC, weeks from Monday) after which the limit starts anew; null: never.' }),
  expires_at: futureTime
    .refine((text) => Date.parse(text) > nowMs(), 'must be in the future; to stop a key now, disable it')
    .transform((text) => new Date(text).toISOString())
    .nullish()
    .meta({ description: 'When the key stops working; null: never.', example: '2030-01-31T00:00:00Z' }),
  privacy: privacySettings,
  sensitive_data: sensitiveData,
};

export const keyName = textField(nameRule).meta({ example: "Ann's laptop" });

/** Fields whose digits must not pass through a float. */
export const keyAmounts = ['limit'];

/** The settings as the management room names them. */
export function settingsOf(body: z.infer<z.ZodObject<typeof keySettings>>) {
  return {
    limit: body.limit,
    limitReset: body.limit_reset,
    expiresAt: body.expires_at,
    privacy: body.privacy,
    sensitiveData: body.sensitive_data,
  };
}
