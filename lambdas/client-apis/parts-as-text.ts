import type * as z from 'zod';
import { measureJson } from '../platform/json/exact-json.ts';

/**
 * Matches a list of content parts that is written as a JSON text, as some agents send it. If it were not converted, an
 * image in it would count as a very long base64 text.
 */
const PARTS_AS_TEXT = /^\s*\[\s*\{[^[\]{}]{0,200}"(?:type"\s*:\s*"(?:input_|text"|image(?:_url)?")|image_url")/;
const MAX_PART_VALUES = 10_000;

/** Returns the content parts in a JSON text; undefined if the text is not a list of parts, or the list is very long. */
export function partsInText<Parts>(text: string, parts: z.ZodType<Parts>): Parts | undefined {
  if (!PARTS_AS_TEXT.test(text) || measureJson(text, MAX_PART_VALUES).values > MAX_PART_VALUES) return undefined;
  try {
    return parts.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
