/**
 * Kinds of values that answers are made of. A shape is what the document shows and, as a type, what a handler has to give:
 * a field that is missing or misspelt does not compile, one too many fails the tests. Code that runs imports only types.
 */

import * as z from 'zod';
import type { Money } from '../money/money.ts';

export const time = z.iso.datetime({ offset: true });
export const uuid = z.uuid();
/** Money, sent as a JSON number with all its digits. */
export const rub = z.number().meta({ description: 'RUB, exact.' }) as unknown as z.ZodType<Money>;
export const rubText = z.string().regex(/^\d+(\.\d{1,12})?$/);
export const count = z.int().nonnegative();
export const nothing = z.null();

/** Fields of the public convention for what this gateway does not have: each has one value. */
export function constants<const Values extends Record<string, string | number | boolean | null>>(
  values: Values,
): { [Name in keyof Values]: z.ZodType<Values[Name]> } {
  const shapes = Object.entries(values).map(([name, value]) => [name, value === null ? nothing : z.literal(value)]);
  return Object.fromEntries(shapes) as ReturnType<typeof constants<Values>>;
}

export const data = <Shape extends z.ZodType>(shape: Shape) => z.strictObject({ data: shape });
export const list = <Shape extends z.ZodType>(shape: Shape) =>
  z.strictObject({ data: z.array(shape), total_count: count });

export const deletedAnswer = z.strictObject({ deleted: z.literal(true) });
export type DeletedAnswer = z.output<typeof deletedAnswer>;

export const errorShape = z
  .strictObject({
    type: z.literal('error'),
    error: z.strictObject({
      type: z.string().meta({ description: 'As the Messages API names it, e.g. invalid_request_error.' }),
      code: z.int().meta({ description: 'The HTTP status.' }),
      message: z.string().meta({ description: 'What was wrong, what is allowed, and what to do.' }),
      details: z
        .looseObject({})
        .optional()
        .meta({ description: 'What clients of the Messages API look for by themselves, e.g. error_code.' }),
      metadata: z
        .looseObject({ error_type: z.string(), field: z.string().optional() })
        .meta({ description: 'Stable values for programs: error_type, the field, and what belongs to the refusal.' }),
    }),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });
