/**
 * Kinds of values that answers are made of. A shape is what the document shows and, as a type, what a handler has to give:
 * a field that is missing or misspelt does not compile, one too many fails the tests. Code that runs imports only types.
 */

import * as z from 'zod';
import type { Money } from '../money/money.ts';

export const time = z.iso.datetime({ offset: true });
export const uuid = z.uuid();
/** Money, sent as a JSON number with all its digits. */
export const rub = z
  .number()
  .meta({ description: 'An amount of roubles, with all of its digits.' }) as unknown as z.ZodType<Money>;
export const rubText = z.string().regex(/^\d+(\.\d{1,12})?$/);
export const countShape = z.int().nonnegative();
export const nothing = z.null();

/** Fields of the public convention for what this gateway does not have: each has one value. */
export function constants<const Values extends Record<string, string | number | boolean | null>>(
  values: Values,
): { [Name in keyof Values]: z.ZodType<Values[Name]> } {
  const shapes = Object.entries(values).map(([name, value]) => [name, value === null ? nothing : z.literal(value)]);
  return Object.fromEntries(shapes) as ReturnType<typeof constants<Values>>;
}

export const dataShape = <Shape extends z.ZodType>(shape: Shape) => z.strictObject({ data: shape });
export const listShape = <Shape extends z.ZodType>(shape: Shape) =>
  z.strictObject({ data: z.array(shape), total_count: countShape });

export const deletedAnswer = z.strictObject({ deleted: z.literal(true) });
export type DeletedAnswer = z.output<typeof deletedAnswer>;

const roubles = (description: string) =>
  z
    .string()
    .optional()
    .meta({ description: `${description}, in RUB.` });

/** The numbers of a refusal by a limit, for programs. */
const limitDetails = {
  limit_source: z
    .enum([
      'key_limit',
      'workspace_budget',
      'member_budget',
      'account_balance',
      'free_requests_per_minute',
      'free_daily_requests',
      'free_daily_requests_of_address',
      'free_daily_budget',
    ])
    .optional()
    .meta({ description: 'Whose limit refused: it is raised, or topped up, there.' }),
  interval: z.string().optional().meta({ description: 'The period of the limit: lifetime, daily, weekly or monthly.' }),
  limit_rub: roubles('The limit that refused the request'),
  spend_rub: roubles('The part of the limit that is spent'),
  held_rub: roubles('The part of the limit that is held for running requests, most of which comes back'),
  remaining_rub: roubles('The part of the limit that is left'),
  required_rub: roubles('The most that the request may cost'),
  required_input_rub: roubles('The part of `required_rub` that its prompt costs'),
  required_output_rub: roubles('The part of `required_rub` that its answer may cost'),
  affordable_max_tokens: z
    .int()
    .optional()
    .meta({ description: 'With at most these max_tokens the request would fit.' }),
  allowed_max_tokens: z.int().optional().meta({ description: 'Tokens to which the answer was limited.' }),
  resets_at: z.string().nullish().meta({ description: 'When the interval of the limit begins anew.' }),
};

export const errorShape = z
  .strictObject({
    type: z.literal('error'),
    error: z.strictObject({
      type: z.string().meta({ description: 'As the Messages API names it, e.g. invalid_request_error.' }),
      code: z.int().meta({ description: 'The HTTP status of the answer.' }),
      message: z.string().meta({ description: 'A sentence for people: the cause, the allowed values, and the cure.' }),
      details: z
        .looseObject({})
        .optional()
        .meta({ description: 'Details that clients of the Messages API look for, such as `error_code`.' }),
      metadata: z
        .looseObject({
          error_type: z.string(),
          field: z
            .string()
            .optional()
            .meta({ description: 'The field that is wrong, as a path, e.g. messages.0.role.' }),
          ...limitDetails,
          refusal: z
            .strictObject({
              status: z.int(),
              error_type: z.string(),
              field: z.string().nullable(),
              limit_source: z.string().nullable(),
              model: z.string().nullable(),
              created_at: time,
            })
            .optional()
            .meta({ description: 'Why the request was refused that GET /generation was asked for.' }),
          excluded_by: z
            .array(z.string())
            .optional()
            .meta({ description: 'Settings that leave no provider of the model.' }),
        })
        .meta({ description: 'Stable values for programs: error_type, the field, and what belongs to the refusal.' }),
    }),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });
