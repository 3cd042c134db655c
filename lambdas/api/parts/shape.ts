/** Parts that answers of several resources have. */

import * as z from 'zod';
import { countShape, nothing, rubText, time, uuid } from '../../http/shapes.ts';
import { intervals, resets } from '../../money/periods.ts';

export const budgetShape = z
  .strictObject({
    id: uuid.meta({ description: 'Stable per scope and interval.' }),
    workspace_id: uuid,
    member_id: z.string().optional().meta({ description: 'The id of the member, on budgets of members.' }),
    interval: z.enum(intervals),
    limit_rub: rubText,
    limit_usd: nothing.meta({
      description: 'A field of the public convention, always null: this gateway counts in RUB.',
    }),
    spend_rub: rubText.meta({ description: 'Settled in the current window.' }),
    remaining_rub: rubText.meta({ description: 'The roubles that are left, after holds of running requests.' }),
    resets_at: time.nullable(),
    reset_interval: z.enum(resets).nullable().meta({ description: 'As `interval`; null for lifetime.' }),
    created_at: time.meta({ description: 'When the interval was first limited.' }),
    updated_at: time.meta({ description: 'When the limit was last changed.' }),
  })
  .meta({ id: 'Budget' });
export type BudgetBody = z.output<typeof budgetShape>;

export const privacyShape = z
  .strictObject({
    version: countShape.meta({ description: 'A number that grows with each change.' }),
    blockLogging: z.boolean(),
    blockTraining: z.boolean(),
    allowedProviders: z.array(z.string()),
    ignoredProviders: z.array(z.string()),
  })
  .meta({ id: 'Privacy' });
export type PrivacyBody = z.output<typeof privacyShape>;
