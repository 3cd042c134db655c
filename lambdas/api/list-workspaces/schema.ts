import { z } from 'zod';
import { integerParameter } from '../../http/fields.ts';

export const request = {
  query: z.strictObject({
    offset: integerParameter(0, 1_000_000_000).default(0),
    limit: integerParameter(1, 100).default(100),
  }),
};
