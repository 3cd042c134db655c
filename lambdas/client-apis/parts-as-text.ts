import type * as z from 'zod';
import { measureJson } from '../platform/json/exact-json.ts';
import { convertedParts, type PartTypes } from './converted-parts.ts';

/**
 * Matches content parts in a JSON text, as some agents send them. An image in it would otherwise count as text.
 * Examples: `[{"type":"input_text"`, `{"content":[{"type":"image"`, `{"isError":false,"content":[{"data":`
 */
const PARTS_AS_TEXT =
  /^\s*(?:\{(?:\s*"(?:isError|success)"\s*:\s*\w+\s*,)?\s*"content"\s*:\s*)?\[\s*\{[^[\]{}]{0,200}"(?:type"\s*:\s*"(?:input_|text"|image|media"|file)|(?:image_url|source|data)"\s*:)/;
const MAX_PART_VALUES = 10_000;

/**
 * Returns the content parts in a JSON text; undefined if the text is not a list of parts, or the list is very long. If
 * the list has an image or a PDF in the form of another service, its other elements become texts.
 */
export function partsInText<Parts>(text: string, parts: z.ZodType<Parts>, types: PartTypes): Parts | undefined {
  if (!PARTS_AS_TEXT.test(text) || measureJson(text, MAX_PART_VALUES).values > MAX_PART_VALUES) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    return parts.safeParse(read).data ?? parts.safeParse(convertedParts(read, types)).data;
  } catch {
    return undefined;
  }
}
