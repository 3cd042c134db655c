/**
 * Clients often derive the media type of an image from its file extension. Claude and Converse reject a type that
 * differs from the image (https://github.com/BerriAI/litellm/issues/24900).
 */

import type { Block, MessagesRequest } from './types.ts';

/** Number of base64 characters that are decoded: enough for the signatures of the known image types. */
const HEAD_CHARACTERS = 24;

/** Corrects the declared media types of images. Returns the same request if none changes. */
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
  const found = source.type === 'base64' ? (imageTypeByBytes(source.data ?? '') ?? declared) : undefined;
  return found === undefined || found === source.media_type
    ? block
    : { ...block, source: { ...source, media_type: found } };
}

function withTrueContent(content: unknown): unknown {
  return Array.isArray(content) ? withTrueTypes(content as Block[]) : content;
}

/** Returns the media type of an image by its first bytes; undefined if it is not one of four common types. */
export function imageTypeByBytes(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64').toString('latin1');
  if (head.startsWith('\x89PNG\r\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}
