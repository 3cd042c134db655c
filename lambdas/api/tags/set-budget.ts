import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { amount, textField } from '../../http/fields.ts';
import { interval } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { tagNameRule, tagValueRule } from '../../management/rules.ts';
import { setTagBudget } from '../../management/tag-budgets.ts';
import { resources } from '../../resources.ts';
import { tagText } from '../../store/counters/tag-scopes.ts';
import { limitChangesOf } from '../parts/limit-changes.ts';
import { tagBudgetViews } from './budget-views.ts';
import type { TagBudgetsAnswer } from './shape.ts';

export const accepts = {
  exactNumbers: ['limit_rub'],
  body: z.strictObject({
    name: textField(tagNameRule).meta({ description: 'The name of the tag.', example: 'project' }),
    value: textField(tagValueRule).meta({
      description: 'The value of the tag. Requests of all keys of the account with this value count.',
      example: 'lake',
    }),
    interval,
    limit_rub: amount.nullable().meta({
      description:
        'The most that may be spent in the period, in RUB; 0 blocks requests with this tag, and null removes the budget. A longer period must have a higher limit.',
      example: 2000,
    }),
  }),
};

export const handler = defineEndpoint('set-tag-budget', accepts, async (input) => {
  const table = resources.table();
  const { body, request } = input;
  const { name, value, interval: period, limit_rub: limit } = body;
  const settings = await setTagBudget(limitChangesOf(input), {
    name,
    value,
    interval: period,
    limit,
    expectedVersion: expectedVersion(request),
  });
  const ofTag = settings.budgets.filter(({ tag }) => tag === tagText(name, value));
  const data = await tagBudgetViews(table, { ...settings, budgets: ofTag });
  return jsonResponse<TagBudgetsAnswer>(200, { data }, etag(settings.version));
});
