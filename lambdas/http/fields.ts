import * as z from 'zod';
import { MAX_AMOUNT } from '../money/bounds.ts';
import { Money } from '../money/money.ts';
import type { TextRule } from '../platform/text-rule.ts';
import { NumberText } from './json-body.ts';

/** Describes a query parameter in the API document by the type of its value, and not as text. */
function describeAs(jsonSchema: object, meaning: object): void {
  for (const name of ['type', 'pattern', 'enum']) delete (jsonSchema as Record<string, unknown>)[name];
  Object.assign(jsonSchema, meaning);
}

/** Returns the schema of an integer in a query. */
export function integerParameter(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .pipe(z.int().min(minimum, error).max(maximum, error))
    .meta({ override: ({ jsonSchema }) => describeAs(jsonSchema, { type: 'integer', minimum, maximum }) });
}

export const booleanParameter = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true')
  .meta({ override: ({ jsonSchema }) => describeAs(jsonSchema, { type: 'boolean' }) });

/** Returns the schema of a text. `says` is the error message for an invalid value. */
export function textField({ minLength, maxLength, pattern, not, trimmed, says }: TextRule) {
  const text = z.string({ error: ({ input }) => (input === undefined ? `is required: ${says}` : says) });
  const bounded = (trimmed ? text.trim() : text).min(minLength, says).max(maxLength, says).regex(pattern, says);
  return not ? bounded.refine((value) => !not.test(value), says) : bounded;
}

const FIELD_AMOUNT_RULE = 'must be a number of roubles from 0 to 10^15 with at most 12 digits after the point';

/** An amount in roubles: a JSON number with all its digits (see `exactNumbers`), or a decimal string. */
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
      // A JSON number may have an exponent. In a string, an exponent is probably a mistake, so it is refused.
      const parsed = value instanceof NumberText ? Money.parseNumber(value.text) : Money.parse(value);
      if (!parsed.isNegative && !parsed.exceeds(MAX_AMOUNT)) return parsed;
    } catch {
      // The issue below also refuses text that is not an amount.
    }
    context.addIssue({ code: 'custom', message: FIELD_AMOUNT_RULE });
    return z.NEVER;
  });

/** Schema of a time with seconds and an offset from UTC. */
export const timeWithOffset = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time with seconds, for example 2027-01-31T00:00:00Z' })
  .regex(/T\d{2}:\d{2}:\d{2}/, 'must be an ISO 8601 time with seconds, for example 2027-01-31T00:00:00Z');

/** Makes a field of a PATCH optional. null keeps the stored value, like an absent field. */
export function keptWhenNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Returns the schema of the body of a PATCH, which needs at least one field. */
export function changeBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must have at least one field to change',
    })
    .meta({ override: { minProperties: 1 } });
}
