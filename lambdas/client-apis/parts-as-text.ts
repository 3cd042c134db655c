import type * as z from 'zod';
import { measureJson } from '../platform/json/exact-json.ts';
import { isRecord, recordOrEmpty } from '../platform/json/foreign-json.ts';

/** Matches content parts in a JSON text, as some agents send them. An image in it would otherwise count as text. */
const PARTS_AS_TEXT =
  /^\s*(?:\{(?:\s*"(?:isError|success)"\s*:\s*\w+\s*,)?\s*"content"\s*:\s*)?\[\s*\{[^[\]{}]{0,200}"(?:type"\s*:\s*"(?:input_|text"|image|media"|file)|(?:image_url|source|data)"\s*:)/;
const MAX_PART_VALUES = 10_000;

/** Names of the types of parts in a client's API. */
interface PartTypes {
  text: string;
  image: string;
}

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

function convertedParts(read: unknown, types: PartTypes): unknown {
  const list = isRecord(read) ? read['content'] : read;
  if (!Array.isArray(list)) return undefined;
  const addresses = list.map(foreignAddress);
  if (addresses.every((address) => address === undefined)) return undefined;
  return list.map((part: unknown, index) => {
    const address = addresses[index];
    if (address !== undefined) return { type: types.image, image_url: address };
    const { type, text } = recordOrEmpty(part);
    return { type: types.text, text: /^(?:input_|output_)?text$/.test(String(type)) ? text : JSON.stringify(part) };
  });
}

/**
 * Returns the address of an image or PDF in the form of MCP (https://github.com/LostRuins/koboldcpp/issues/2374) or of
 * one of the versions of the AI SDK (https://github.com/vercel/ai/issues/10850), or of an image in the form of one of
 * the three client APIs; undefined for any other part.
 */
function foreignAddress(part: unknown): string | undefined {
  const { type, data, url, source, image_url: image, mimeType, mediaType } = recordOrEmpty(part);
  if (typeof type !== 'string' || !/^(?:(?:image|media|file)(?:[-_](?:data|url))?|input_image)$/.test(type))
    return undefined;
  const held = recordOrEmpty(source ?? data);
  const stated = mimeType ?? mediaType ?? held['media_type'] ?? type.replace(/^input_|[-_]url$/, '');
  if (typeof stated !== 'string' || !/^(?:image|application\/pdf)/.test(stated)) return undefined;
  const bytes = recordOrEmpty(image)['url'] ?? image ?? url ?? held['url'] ?? held['data'] ?? data;
  if (typeof bytes !== 'string') return undefined;
  if (/^(?:data|https?):/.test(bytes)) return stated.startsWith('image') ? bytes : undefined;
  // A type without a subtype, such as `image`, becomes PNG here. Later, the image's bytes determine the type.
  return `data:${/\/\w/.test(stated) ? stated : 'image/png'};base64,${bytes}`;
}
