import { isRecord, recordOrEmpty } from '../platform/json/foreign-json.ts';

/** Names of the types of parts in a client's API. */
export interface PartTypes {
  text: string;
  image: string;
}

/**
 * Matches types of images and files: "image_url" and "input_image" (OpenAI), "image" (MCP), "image-data", "file-url" and
 * "media" (AI SDK), "document" (Messages API).
 */
const FILE_TYPE = /^(?:(?:image|media|file)(?:[-_](?:data|url))?|document|input_image)$/;
const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/**
 * Converts content parts in the forms of other services to the form of a client's API; undefined if none of the parts is
 * an image or a PDF.
 */
export function convertedParts(read: unknown, types: PartTypes): unknown {
  const list = isRecord(read) ? read['content'] : read;
  if (!Array.isArray(list)) return undefined;
  const addresses = list.map(foreignAddress);
  if (addresses.every((address) => address === undefined)) return undefined;
  return list.map((part: unknown, index) => {
    const address = addresses[index];
    if (address !== undefined) return { type: types.image, image_url: address };
    const { type, text } = recordOrEmpty(part);
    return { type: types.text, text: TEXT_TYPES.has(type) ? text : JSON.stringify(part) };
  });
}

/**
 * Returns the address of an image or PDF in the form of MCP (https://github.com/LostRuins/koboldcpp/issues/2374) or of
 * one of the versions of the AI SDK (https://github.com/vercel/ai/issues/10850) or of the Messages API, or of an image in
 * the form of OpenAI's APIs; undefined for any other part.
 */
function foreignAddress(part: unknown): string | undefined {
  const { type, data, url, source, image_url: image, mimeType, mediaType } = recordOrEmpty(part);
  if (typeof type !== 'string' || !FILE_TYPE.test(type)) return undefined;
  const held = recordOrEmpty(source ?? data);
  const stated = mimeType ?? mediaType ?? held['media_type'] ?? type.replace('input_', '');
  if (typeof stated !== 'string' || !/^(?:image|application\/pdf)/.test(stated)) return undefined;
  const bytes = recordOrEmpty(image)['url'] ?? image ?? url ?? held['url'] ?? held['data'] ?? data;
  if (typeof bytes !== 'string') return undefined;
  if (/^(?:data|https?):/.test(bytes)) return stated.startsWith('image') ? bytes : undefined;
  // A type without a subtype, such as `image`, becomes PNG here. Later, the image's bytes determine the type.
  return `data:${/\/\w/.test(stated) ? stated : 'image/png'};base64,${bytes}`;
}
