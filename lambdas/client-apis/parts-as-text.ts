import type * as z from 'zod';
import { measureJson } from '../platform/json/exact-json.ts';

/**
 * Matches a list of parts in the form of a text, as some agents write it. Without conversion, an image in it would
 * count as a million tokens of base64 text.
 */
const PARTS_AS_TEXT = /^\s*\[\s*\{[^[\]{}]{0,200}"(?:type"\s*:\s*"(?:input_|text"|image_url")|image_url")/;
const MAX_PART_VALUES = 10_000;

/** Returns the parts in a text that is a JSON list of parts; undefined for other texts and for very long lists. */
export function partsInText<Parts>(text: string, parts: z.ZodType<Parts>): Parts | undefined {
  if (!PARTS_AS_TEXT.test(text) || measureJson(text, MAX_PART_VALUES).values > MAX_PART_VALUES) return undefined;
  try {
    return parts.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
