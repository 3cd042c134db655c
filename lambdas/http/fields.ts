/** Kinds of fields that more than one endpoint takes, each with the sentence that a client reads when it is wrong. */

import * as z from 'zod';
import { MAX_AMOUNT } from '../money/bounds.ts';
import { Money } from '../money/money.ts';
import type { TextRule } from '../platform/text-rule.ts';
import { NumberText } from './json-body.ts';

/** Describes a parameter by what it means, not by the text that carries it. */
function describeAs(jsonSchema: object, meaning: object): void {
  for (const name of ['type', 'pattern', 'enum']) delete (jsonSchema as Record<string, unknown>)[name];
  Object.assign(jsonSchema, meaning);
}

/** A whole number in a query. */
export function integerParameter(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .pipe(z.int().min(minimum, error).max(maximum, error))
    .meta({ override: ({ jsonSchema }) => describeAs(jsonSchema, { type: 'integer', minimum, maximum }) });
}

/** true or false in a query. */
export const booleanParameter = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true')
  .meta({ override: ({ jsonSchema }) => describeAs(jsonSchema, { type: 'boolean' }) });

/** A text that obeys a rule. */
export function textField({ minLength, maxLength, pattern, not, trimmed, says }: TextRule) {
  const text = z.string({ error: ({ input }) => (input === undefined ? `is required: ${says}` : says) });
  const bounded = (trimmed ? text.trim() : text).min(minLength, says).max(maxLength, says).regex(pattern, says);
  return not ? bounded.refine((value) => !not.test(value), says) : bounded;
}

const FIELD_AMOUNT_RULE = 'must be a number of roubles from 0 to 10^15 with at most 12 digits after the point';

/** An amount of roubles: a JSON number whose digits were kept (see exactNumbers), or the same as a decimal string. */
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
      // JSON's numbers may have an exponent; a text of one is a mistake more often than an amount.
      const parsed = value instanceof NumberText ? Money.parseNumber(value.text) : Money.parse(value);
      if (!parsed.isNegative && !parsed.exceeds(MAX_AMOUNT)) return parsed;
    } catch {
      // Refused below.
    }
    context.addIssue({ code: 'custom', message: FIELD_AMOUNT_RULE });
    return z.NEVER;
  });

/** A time in the future, exact to the second at least, with its offset from UTC. */
export const futureTime = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time with seconds, for example 2027-01-31T00:00:00Z' })
  .regex(/T\d{2}:\d{2}:\d{2}/, 'must be an ISO 8601 time with seconds, for example 2027-01-31T00:00:00Z');

/** A field that a change may leave out; null leaves it out as well, because it cannot be cleared. */
export function keptWhenNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The body of a PATCH: at least one field is given. */
export function changeBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must have at least one field to change',
    })
    .meta({ override: { minProperties: 1 } });
}
