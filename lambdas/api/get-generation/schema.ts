import { z } from 'zod';

export const request = {
  query: z.strictObject({
    id: z
      .string({ error: 'is required: the id of an inference response' })
      .min(1)
      .max(100)
      .meta({ description: 'The id of an inference response, or its x-generation-id header.' }),
  }),
};
