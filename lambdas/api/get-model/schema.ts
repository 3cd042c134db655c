import { z } from 'zod';
import { booleanParameter } from '../../http/fields.ts';

export const request = {
  params: z.object({
    slug: z.string().meta({
      description: 'Id of a model, with its slashes; `/endpoints` behind it is the same as `endpoints=true`.',
      example: 'sandbox/claude',
    }),
  }),
  query: z.strictObject({
    endpoints: booleanParameter.default(false).meta({ description: 'Adds endpoints and `routing.default`.' }),
  }),
};
