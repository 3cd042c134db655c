/**
 * Detects the media type of images from their first bytes. Clients often derive the type from the file extension, but
 * Claude and Converse reject images whose type differs from the declared type
 * (https://github.com/BerriAI/litellm/issues/24900).
 */

import type { Block, MessagesRequest } from './types.ts';

/** Number of base64 characters to read, enough for the signature of every image type. */
const HEAD_CHARACTERS = 24;

/**
 * Corrects the declared media types of images in the messages.
 * @returns the same request if there is nothing to correct
 */
export function withTrueImageTypes(request: MessagesRequest): MessagesRequest {
  let isChanged = false;
  const messages = request.messages.map((message) => {
    if (typeof message.content === 'string') return message;
    const content = withTrueTypes(message.content);
    if (content === message.content) return message;
    isChanged = true;
    return { ...message, content };
  });
  return isChanged ? { ...request, messages } : request;
}

function withTrueTypes(blocks: Block[]): Block[] {
  let isChanged = false;
  const changed = blocks.map((block) => {
    const one = withTrueType(block);
    isChanged ||= one !== block;
    return one;
  });
  return isChanged ? changed : blocks;
}

function withTrueType(block: Block): Block {
  if (block.type === 'tool_result') {
    const content = withTrueContent(block['content']);
    return content === block['content'] ? block : { ...block, content };
  }
  if (block.type === 'document') {
    const given = block['source'] as { content?: unknown } | undefined;
    const content = withTrueContent(given?.content);
    return content === given?.content ? block : { ...block, source: { ...given, content } };
  }
  if (block.type !== 'image') return block;
  const source = block['source'] as { type: string; media_type?: string; data?: string };
  const declared = source.media_type === 'image/jpg' ? 'image/jpeg' : undefined;
  const found = source.type === 'base64' ? (imageTypeOf(source.data ?? '') ?? declared) : undefined;
  return found === undefined || found === source.media_type
    ? block
    : { ...block, source: { ...source, media_type: found } };
}

/** Corrects the images in the content of a tool result or a document. Returns the same content if there are none. */
function withTrueContent(content: unknown): unknown {
  return Array.isArray(content) ? withTrueTypes(content as Block[]) : content;
}

/**
 * Returns the media type of an image from its first bytes.
 * @returns undefined unless the bytes are a PNG, JPEG, GIF or WebP image
 */
function imageTypeOf(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64').toString('latin1');
  if (head.startsWith('\x89PNG\r\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}
