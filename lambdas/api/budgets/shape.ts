import * as z from 'zod';
import { data, rubText, time, uuid } from '../../http/shapes.ts';
import { intervals } from '../../money/periods.ts';

export const budgetShape = z
  .strictObject({
    id: uuid.meta({ description: 'Stable per scope and interval.' }),
    workspace_id: uuid,
    member_id: z.string().optional().meta({ description: 'On budgets of members.' }),
    interval: z.enum(intervals),
    limit_rub: rubText,
    spend_rub: rubText.meta({ description: 'Settled in the current window.' }),
    remaining_rub: rubText.meta({ description: 'With holds counted.' }),
    resets_at: time.nullable(),
  })
  .meta({ id: 'Budget' });
export type ShownBudget = z.output<typeof budgetShape>;

export const budgetAnswer = data(budgetShape);
export type BudgetAnswer = z.output<typeof budgetAnswer>;

export const budgetListAnswer = data(z.array(budgetShape));
export type BudgetListAnswer = z.output<typeof budgetListAnswer>;
