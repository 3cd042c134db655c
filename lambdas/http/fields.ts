/** Types of fields for several endpoints, each with its error message for the client. */

import * as z from 'zod';
import { MAX_AMOUNT } from '../money/bounds.ts';
import { Money } from '../money/money.ts';
import type { TextRule } from '../platform/text-rule.ts';
import { NumberText } from './json-body.ts';

/** Describes a parameter by its meaning, not by its text form. */
function describeAs(jsonSchema: object, meaning: object): void {
  for (const name of ['type', 'pattern', 'enum']) delete (jsonSchema as Record<string, unknown>)[name];
  Object.assign(jsonSchema, meaning);
}

/** An integer in a query. */
export function integerParameter(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .pipe(z.int().min(minimum, error).max(maximum, error))
    .meta({ override: ({ jsonSchema }) => describeAs(jsonSchema, { type: 'integer', minimum, maximum }) });
}

/** A boolean in a query. */
export const booleanParameter = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true')
  .meta({ override: ({ jsonSchema }) => describeAs(jsonSchema, { type: 'boolean' }) });

/** A text with a rule. */
export function textField({ minLength, maxLength, pattern, not, trimmed, says }: TextRule) {
  const text = z.string({ error: ({ input }) => (input === undefined ? `is required: ${says}` : says) });
  const bounded = (trimmed ? text.trim() : text).min(minLength, says).max(maxLength, says).regex(pattern, says);
  return not ? bounded.refine((value) => !not.test(value), says) : bounded;
}

const FIELD_AMOUNT_RULE = 'must be a number of roubles from 0 to 10^15 with at most 12 digits after the point';

/** An amount in roubles: a JSON number with its original digits (see exactNumbers), or the same as a decimal string. */
export const amount = z
  .custom<NumberText | string>((value) => value instanceof NumberText || typeof value === 'string', FIELD_AMOUNT_RULE)
  .meta({
    override: {
      anyOf: [
        { type: 'number', minimum: 0, maximum: 1e15 },
        { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,12})?$' },
      ],
    },
  })
  .transform((value, context) => {
    try {
      // JSON numbers may have an exponent. In a string, it is more often a mistake than an amount.
      const parsed = value instanceof NumberText ? Money.parseNumber(value.text) : Money.parse(value);
      if (!parsed.isNegative && !parsed.exceeds(MAX_AMOUNT)) return parsed;
    } catch {
      // Refused below.
    }
    context.addIssue({ code: 'custom', message: FIELD_AMOUNT_RULE });
    return z.NEVER;
  });

/** A time in the future, exact at least to the second, with its offset from UTC. */
export const futureTime = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time with seconds, for example 2027-01-31T00:00:00Z' })
  .regex(/T\d{2}:\d{2}:\d{2}/, 'must be an ISO 8601 time with seconds, for example 2027-01-31T00:00:00Z');

/** An optional field of a change. Null has the same effect as absence, because the field cannot be cleared. */
export function keptWhenNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The body of a PATCH, with at least one field. */
export function changeBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must have at least one field to change',
    })
    .meta({ override: { minProperties: 1 } });
}
