import * as z from 'zod';
import { Money } from '../money/money.ts';

export const price = z
  .string({ error: 'must be a text of roubles, such as "0.0003"' })
  .regex(/^\d+(\.\d{1,12})?$/, 'must be a plain decimal string of roubles with at most 12 digits after the point')
  .transform((text) => Money.parse(text));
