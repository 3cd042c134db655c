/** Kinds of fields that requests have in more than one place. An explicit null counts as absent. */

import * as z from 'zod';
import { BASE64_RULE, isBase64 } from '../platform/base64.ts';

export const optionalField = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

/** An object that only the model or the upstream can check; passed on as it is, not copied. */
export const anyObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ override: { type: 'object', additionalProperties: {} } });

/** Longer than signed URLs of file stores are; the time to parse one grows with its length. */
const MAX_URL = 16_384;
export const sourceUrl = z
  .string()
  .max(MAX_URL)
  .pipe(z.url({ protocol: /^https?$/ }));

/** Bytes as text; whether they are what their media type says is for the provider to see. */
export const base64 = z.string().min(1).refine(isBase64, BASE64_RULE);

export const cacheControl = optionalField(
  z.looseObject({
    type: z.literal('ephemeral'),
    ttl: optionalField(z.enum(['5m', '1h'])).meta({
      description: 'How long the cache is kept: `5m` or `1h`. Each has its own price.',
    }),
  }),
);

/** Whether a field says nothing: it is missing, null, or a list of nothing. */
export function isAbsentOrEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
