import * as z from 'zod';
import { amount, textField, timeWithOffset } from '../../http/fields.ts';
import { privacySettings } from '../../http/privacy-field.ts';
import { MAX_TAGS, nameRule, tagNameRule, tagValueRule } from '../../management/rules.ts';
import { nowMs } from '../../platform/clock.ts';
import { shortTextRule } from '../../platform/text-rule.ts';
import { limitResets } from '../../store/accounts/keys.ts';
import { sensitiveActions, sensitiveCategories } from '../../store/accounts/sensitive-data.ts';
import { useLimitFieldsFor } from '../parts/use-limit-fields.ts';

const MAX_DICTIONARY = 200;
const termRule = shortTextRule(1, 100);
const substituteRule = shortTextRule(0, 100);
/**
 * Maximum size of a dictionary in bytes. It is stored in its key's item, and a page of a hundred keys must fit into one
 * response.
 */
const MAX_DICTIONARY_BYTES = 32_768;

const sensitiveData = z
  .strictObject({
    enabled: z.boolean().nullish().meta({ description: 'Whether prompts are searched for sensitive data.' }),
    action: z.enum(sensitiveActions).nullish().meta({
      description:
        'With `replace` providers get placeholders in place of the data; with `block` the request is refused.',
    }),
    categories: z
      .array(z.enum(sensitiveCategories))
      .max(sensitiveCategories.length)
      .nullish()
      .meta({ description: 'The kinds of data that are looked for.' }),
    dictionary: z
      .array(
        z.strictObject({
          term: textField(termRule).meta({ description: 'The term that is looked for, as a whole word.' }),
          substitute: textField(substituteRule).meta({
            description: 'The text that providers get in place of the term.',
          }),
        }),
      )
      .max(MAX_DICTIONARY)
      .refine((entries) => Buffer.byteLength(JSON.stringify(entries)) <= MAX_DICTIONARY_BYTES, 'must be at most 32 KB')
      .nullish()
      .meta({ description: 'Terms of your own, and the text that providers get in place of each.' }),
    restore: z
      .boolean()
      .nullish()
      .meta({ description: 'Whether placeholders in the answer are replaced by the original data.' }),
  })
  .nullish()
  .meta({
    description:
      'The parts of prompts that are kept from providers: values of the categories become placeholders and are restored in the answer (`replace`), or requests that have any are refused (`block`). Terms of the dictionary become their substitute. `enabled: true` needs a category or a term.',
    example: { enabled: true, action: 'replace', categories: ['email', 'phone'] },
  });

/** Fields that can be set at creation and changed later. null clears a field. */
export const keySettings = {
  limit: amount.nullish().meta({
    description: 'The most that the key may spend, in RUB; null for no limit, 0 to block the key.',
    example: 500,
  }),
  limit_reset: z
    .enum(limitResets)
    .nullish()
    .meta({ description: 'How often the limit starts anew, in UTC, with weeks from Monday; null for never.' }),
  expires_at: timeWithOffset
    .refine((text) => Date.parse(text) > nowMs(), 'must be in the future; to stop a key now, disable it')
    .transform((text) => new Date(text).toISOString())
    .nullish()
    .meta({ description: 'The time at which the key stops working; null for never.', example: '2030-01-31T00:00:00Z' }),
  tags: z
    .record(textField(tagNameRule), textField(tagValueRule), {
      error: ({ code }) => (code === 'invalid_key' ? `its name ${tagNameRule.says}` : undefined),
    })
    .refine((tags) => Object.keys(tags).length <= MAX_TAGS, `must be at most ${MAX_TAGS} tags`)
    .nullish()
    .meta({
      description:
        'Names and values of your own for reports, such as a project or a cost centre. Each request of the key has these tags, unless it states other values (`x-gateway-tags`). A statement that is grouped by key shows the tags of each key. The tags that you send replace all tags of the key; null removes them.',
      example: { project: 'search', cost_centre: '4711' },
    }),
  ...useLimitFieldsFor('the key'),
  privacy: privacySettings,
  sensitive_data: sensitiveData,
};

export const keyName = textField(nameRule).meta({ example: "Ann's laptop" });

/** Fields with numbers that must keep all their digits. */
export const keyAmounts = ['limit'];
