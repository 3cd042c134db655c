import * as z from 'zod';

/** Returns the schema of a number or its decimal text. Empty text, null and true must not become 0 or 1. */
function decimal(error: string) {
  const text = z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number);
  return z.union([z.number(), text], { error });
}

export function wholeNumber({ min, max }: { min: number; max?: number }) {
  const error = `must be a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;
  return decimal(error).pipe(
    z
      .int({ error })
      .min(min, { error })
      .max(max ?? Number.MAX_SAFE_INTEGER, { error }),
  );
}

export function someNumber({ above, min = above ?? 0, max }: { above?: number; min?: number; max?: number }) {
  const least = above === undefined ? `of at least ${min}` : `above ${above}`;
  const error = `must be a number ${max === undefined ? least : `from ${min} to ${max}`}`;
  const within = (value: number) =>
    value >= min && value <= (max ?? Infinity) && (above === undefined || value > above);
  return decimal(error).pipe(z.number({ error }).refine(within, { error }));
}

export function trueOrFalse() {
  return z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
    error: 'must be true or false',
  });
}

/** Returns the schema of a map from names to texts, or of its JSON. */
export function jsonMap(name: z.ZodString, value: z.ZodString, example: string) {
  const error = `must be a map of texts, or its JSON, such as ${example}`;
  const parsed = z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    }
  });
  return z.union([parsed.pipe(z.record(name, value)), z.record(name, value)], { error });
}
