import * as z from 'zod';
import { dataShape, rub } from '../../http/shapes.ts';
import { accountModes } from '../../store/accounts/accounts.ts';
import { budgetFields, periodUsageShape } from '../parts/shape.ts';

const { usage_daily, usage_weekly, usage_monthly } = periodUsageShape;

const accountLimitShape = z
  .strictObject(budgetFields)
  .omit({ created_at: true, updated_at: true })
  .meta({ id: 'AccountLimit' });

export const creditsAnswer = dataShape(
  z
    .strictObject({
      total_credits: rub.meta({
        description: 'The exact amount in RUB that was paid in, less what was paid back; 0 for a postpaid account.',
      }),
      total_usage: rub.meta({ description: 'The exact amount in RUB that settled requests have cost.' }),
      usage_daily,
      usage_weekly,
      usage_monthly,
      held: rub.meta({
        description:
          'The exact amount in RUB that is held: set aside for running requests. The part that they do not use comes back.',
      }),
      balance: rub.nullable().meta({
        description:
          'The exact amount in RUB that was paid in and not spent; money that is held still counts. Null for a postpaid account.',
      }),
      limits: z.array(accountLimitShape).meta({
        description:
          'The credit limits of a postpaid account; empty for a prepaid account, whose limit is its balance.',
      }),
      mode: z.enum(accountModes).meta({
        description: 'Whether the account is billed later (`postpaid`), or spends what was paid in before (`prepaid`).',
      }),
      currency: z.literal('RUB'),
    })
    .meta({ id: 'Credits' }),
);
export type CreditsAnswer = z.output<typeof creditsAnswer>;
