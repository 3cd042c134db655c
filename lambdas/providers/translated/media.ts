import { invalidRequest } from '../../platform/errors.ts';
import type { Block } from '../../messages/types.ts';
import { aboutFile, readDocument, unreadableDocument } from './documents.ts';

const usualTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * Returns the URL of an image, or its bytes as a data URL.
 * @param quirks.image_types accepted media types; undefined if the endpoint accepts all types that Claude accepts
 * @throws {GatewayError} 400 for inline data of another type, and for a file id
 */
export function imageUrl(
  block: Block,
  path: string,
  { image_types: types = usualTypes }: { image_types?: readonly string[] | undefined },
): string {
  const source = block['source'] as { type: string; media_type?: string; data?: string; url?: string };
  if (source.type === 'base64' && !types.includes(source.media_type!)) {
    throw invalidRequest(
      `${path}.source.media_type`,
      `must be one of ${types.join(', ')} on this model; convert the image`,
    );
  }
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  if (source.type === 'url') return source.url!;
  throw invalidRequest(
    `${path}.source.type`,
    'file ids only work on Anthropic models; send the image as base64 or url',
  );
}

/**
 * A document as text in a tag, or as a PDF, which only some providers read. The member `about` is text to send before
 * the PDF; it may be empty.
 */
export type InlineDocument =
  | { kind: 'text'; text: string }
  | { kind: 'base64'; filename: string; dataUrl: string; about: string }
  | { kind: 'url'; url: string; about: string };

/**
 * Converts a document block.
 * @throws {GatewayError} 400 for a document that only providers with the Messages API support
 */
export function inlineDocument(block: Block, path: string): InlineDocument {
  const document = readDocument(block, path);
  if (document.text !== undefined) return { kind: 'text', text: document.text };
  const { source, title } = document;
  const filename = title.endsWith('.pdf') ? title : `${title}.pdf`;
  switch (source.type) {
    case 'base64':
      return {
        kind: 'base64',
        filename,
        dataUrl: `data:application/pdf;base64,${source.data}`,
        about: aboutFile(block, true),
      };
    case 'url':
      return { kind: 'url', url: source.url, about: aboutFile(block, false) };
    case 'file':
      throw unreadableDocument(source.type, path);
  }
}
