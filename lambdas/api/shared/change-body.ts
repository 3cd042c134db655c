import { z } from 'zod';

/** A field that a change may leave out; null leaves it out as well, because it cannot be cleared. */
export function keptWhenNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The body of a PATCH: at least one field says something. */
export function changeBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must have at least one field to change',
    })
    .meta({ override: { minProperties: 1 } });
}
