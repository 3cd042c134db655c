import * as z from 'zod';
import { jsonFormat, namedSchema, textFormat } from '../common-fields.ts';

/** Format of an answer in the Responses API. */
export const answerFormat = z.discriminatedUnion(
  'type',
  [textFormat, jsonFormat, z.strictObject({ type: z.literal('json_schema'), ...namedSchema })],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be one of text, json_object, json_schema' : undefined) },
);
