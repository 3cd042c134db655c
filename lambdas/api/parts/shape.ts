/** Parts that answers of several resources have. */

import * as z from 'zod';
import { countShape, nothing, rub, rubText, time, uuid } from '../../http/shapes.ts';
import { intervals, resets } from '../../money/periods.ts';

const settled = 'The roubles that settled requests have cost';

/** What was spent in the current periods, in UTC. */
export const periodUsageShape = {
  usage: rub.meta({ description: `${settled}.` }),
  usage_daily: rub.meta({ description: `${settled} today.` }),
  usage_weekly: rub.meta({ description: `${settled} since Monday.` }),
  usage_monthly: rub.meta({ description: `${settled} since the first of the month.` }),
};
export type PeriodUsage = z.output<z.ZodObject<typeof periodUsageShape>>;

export const budgetShape = z
  .strictObject({
    id: uuid.meta({ description: 'An id that is the same for as long as the workspace or member has this interval.' }),
    workspace_id: uuid.meta({ description: 'The id of the workspace.' }),
    member_id: z.string().optional().meta({ description: 'The id of the member, on budgets of members.' }),
    interval: z.enum(intervals).meta({ description: 'The period that the budget is for, in UTC.' }),
    limit_rub: rubText.meta({ description: 'The most that may be spent in the period, in roubles.' }),
    limit_usd: nothing.meta({
      description: 'Always null, because this gateway counts in RUB. Clients of OpenRouter’s API read this field.',
    }),
    spend_rub: rubText.meta({ description: 'The roubles that settled requests have cost in the current period.' }),
    remaining_rub: rubText.meta({
      description: 'The roubles that are left in the period, less what is held (set aside) for running requests.',
    }),
    resets_at: time.nullable().meta({ description: 'The time at which the budget starts anew; null for never.' }),
    reset_interval: z.enum(resets).nullable().meta({ description: 'The same as `interval`; null for lifetime.' }),
    created_at: time.meta({ description: 'The time at which the interval was first limited.' }),
    updated_at: time.meta({ description: 'The time at which the limit was last changed.' }),
  })
  .meta({ id: 'Budget' });
export type BudgetBody = z.output<typeof budgetShape>;

export const privacyShape = z
  .strictObject({
    version: countShape.meta({ description: 'A number that grows with each change.' }),
    blockLogging: z.boolean().meta({ description: 'With true no provider is used that keeps prompts.' }),
    blockTraining: z.boolean().meta({ description: 'With true no provider is used that trains on prompts.' }),
    allowedProviders: z
      .array(z.string())
      .meta({ description: 'Only these providers are used; an empty list allows all.' }),
    ignoredProviders: z.array(z.string()).meta({ description: 'None of these providers is used.' }),
  })
  .meta({ id: 'Privacy', description: 'The rule which providers may see the requests of a key or of a workspace.' });
export type PrivacyBody = z.output<typeof privacyShape>;
