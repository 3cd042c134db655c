import * as z from 'zod';
import { BASE64_RULE, isBase64 } from '../platform/base64.ts';
import { FormFile } from '../platform/form-file.ts';

/** Schema of an optional field. An explicit null counts as absent. */
export const optionalField = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

/**
 * Schema of a field that is refused unless it is null.
 * @param rule reason for the refusal, in the error message
 */
export const refusedField = (rule: string) =>
  optionalField(z.never(rule)).meta({ description: `This field is refused: it ${rule}.` });

export const refusedFieldsOf = <Name extends string>(rule: string, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, refusedField(rule)])) as Record<Name, ReturnType<typeof refusedField>>;

/**
 * Returns fields of a body that refuse parameters of the URL. The fields keep the parameters' TypeScript types, because
 * the gateway itself adds the values from the URL to the body.
 */
export function urlFields<Shape extends z.ZodRawShape>(parameters: Shape): Shape {
  const refused = refusedField('belongs in the URL');
  return Object.fromEntries(Object.keys(parameters).map((name) => [name, refused])) as unknown as Shape;
}

/**
 * Schema of an uploaded file. A JSON body cannot contain files, only a form can.
 * @param rule text of the error for any other value
 */
export const formFileField = (rule: string) =>
  z.instanceof(FormFile, { error: rule }).meta({ override: { type: 'string', format: 'binary' } });

/** Schema of an object that is forwarded without checks or copying. */
export const anyObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ override: { type: 'object', additionalProperties: {} } });

/** Maximum length of a URL in characters. It bounds the time to parse a URL, and allows typical signed URLs. */
const MAX_URL = 16_384;
export const sourceUrl = z
  .string()
  .max(MAX_URL)
  .pipe(z.url({ protocol: /^https?$/ }));

/**
 * Bytes in base64. This schema does not compare the bytes with their media type. The gateway later corrects the type of
 * images (image-types.ts); other bytes are checked only by the provider.
 */
export const base64 = z.string().min(1).refine(isBase64, BASE64_RULE);

export const cacheControl = optionalField(
  z.looseObject({
    type: z.literal('ephemeral'),
    ttl: optionalField(z.enum(['5m', '1h'])).meta({
      description: 'How long the cache is kept: `5m` or `1h`. Each has its own price.',
    }),
  }),
);

/** Whether a field is missing, null, or an empty list. */
export function isAbsentOrEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

const MAX_USER_CHARACTERS = 512;
export const userLabel = optionalField(z.string().max(MAX_USER_CHARACTERS)).meta({
  description:
    'An id of your choice for the end user; it does not change the answer. The record has it as the tag `user`.',
});
