import * as z from 'zod';
import { amount } from '../../http/fields.ts';

export const budgetBody = z.strictObject({
  limit_rub: amount.meta({ description: 'Limit in RUB; 0 blocks. Limits rise from daily to lifetime.', example: 2000 }),
});

export const budgetAmounts = ['limit_rub'];
