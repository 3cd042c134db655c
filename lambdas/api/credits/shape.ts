import * as z from 'zod';
import { dataShape, rub } from '../../http/shapes.ts';
import { accountModes } from '../../store/accounts.ts';

export const creditsAnswer = dataShape(
  z
    .strictObject({
      total_credits: rub.meta({
        description: 'RUB, exact: paid in, less what was given back. 0 for a postpaid account.',
      }),
      total_usage: rub.meta({ description: 'RUB, exact: spent by requests that are settled.' }),
      held: rub.meta({
        description: 'RUB, exact: promised to requests that are under way; what they do not use comes back.',
      }),
      balance: rub
        .nullable()
        .meta({ description: 'RUB, exact: paid in and not spent, holds included. null for a postpaid account.' }),
      mode: z.enum(accountModes),
      currency: z.literal('RUB'),
    })
    .meta({ id: 'Credits' }),
);
export type CreditsAnswer = z.output<typeof creditsAnswer>;
