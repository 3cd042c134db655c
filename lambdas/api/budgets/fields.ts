import * as z from 'zod';
import { amount } from '../../http/fields.ts';

export const budgetBody = z.strictObject({
  limit_rub: amount.meta({
    description:
      'The most that may be spent in the period, in RUB; 0 blocks all spending. A longer period must have a higher limit.',
    example: 2000,
  }),
});

export const budgetAmounts = ['limit_rub'];
