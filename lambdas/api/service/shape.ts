import * as z from 'zod';

export const openapiAnswer = z.looseObject({
  openapi: z.string().meta({ description: 'The version of OpenAPI that the document is written in.' }),
});
export type OpenapiAnswer = z.output<typeof openapiAnswer>;

export const healthAnswer = z.strictObject({ status: z.literal('ok') });
export type HealthAnswer = z.output<typeof healthAnswer>;
