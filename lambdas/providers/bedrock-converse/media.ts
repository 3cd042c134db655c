/** Converts images and documents to Converse's form, which contains their bytes and accepts no URL. */

import { invalidRequest } from '../../platform/errors.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import type { Block } from '../../messages/types.ts';
import {
  documentTexts,
  readDocument,
  refuseCitations,
  unreadableDocument,
  wantsCitations,
} from '../translated/documents.ts';
import { familyOf, type ConverseTarget } from './families.ts';

/** Text that is added to a message with documents, because Converse requires a text next to a document. */
export const DOCUMENT_TEXT = '(see the document)';

interface MediaSource {
  type: string;
  media_type?: string;
  data?: string;
  content?: string | Block[];
}

const IMAGE_TYPE = /^image\/(png|jpeg|gif|webp)$/;
const MAX_DOCUMENT_NAME_CHARACTERS = 200;
/** Content of a document without text, because Converse rejects documents without content. */
const EMPTY_DOCUMENT = '(empty)';

/**
 * Converts an image block.
 * @throws {GatewayError} 400 for a URL, a file id, or an image other than PNG, JPEG, GIF and WebP
 */
export function imageBlock(block: Block, path: string): object {
  const source = block['source'] as MediaSource;
  if (source.type !== 'base64') {
    throw invalidRequest(
      `${path}.source.type`,
      `"${source.type}" does not work on this model; send the image as base64`,
    );
  }
  const format = IMAGE_TYPE.exec(source.media_type ?? '')?.[1];
  if (!format) {
    throw invalidRequest(`${path}.source.media_type`, 'must be image/png, image/jpeg, image/gif or image/webp');
  }
  return { image: { format, source: { bytes: source.data } } };
}

/**
 * Assigns names to documents. Converse allows only plain characters in names, because models read them, and no
 * duplicate names.
 */
export class DocumentNames {
  readonly #usedNames = new Set<string>();

  nameOf(title: unknown): string {
    const wanted = typeof title === 'string' ? title : '';
    const plain = wanted
      .replaceAll(/[^\p{ASCII}]|[^a-zA-Z0-9\s()[\]-]/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const name = plain.slice(0, MAX_DOCUMENT_NAME_CHARACTERS - 10).trim() || 'document';
    let unique = name;
    for (let count = 2; this.#usedNames.has(unique); count += 1) unique = `${name} ${count}`;
    this.#usedNames.add(unique);
    return unique;
  }
}

/**
 * Converts a document; to text for a model that does not read files.
 * @throws {GatewayError} 400 for an unsupported document or document feature
 */
export function documentBlock(block: Block, path: string, target: ConverseTarget, names: DocumentNames): object {
  const isCited = wantsCitations(block);
  if (!familyOf(target).hasCitations) refuseCitations(block, path);
  if (!target.quirks.pdf_files) return { text: textOfDocument(block, path) };
  const context = block['context'];
  return {
    document: {
      ...mediaContent(block, path, isCited),
      name: names.nameOf(block['title']),
      ...(typeof context === 'string' && context !== '' ? { context } : {}),
      ...(isCited ? { citations: { enabled: true } } : {}),
    },
  };
}

function textOfDocument(block: Block, path: string): string {
  const document = readDocument(block, path);
  if (document.text !== undefined) return document.text;
  throw unreadableDocument(document.source.type, path);
}

/**
 * Returns the format and the source of a document. Converse accepts a document's text as `text` or `content` only if
 * citations are enabled (https://github.com/maximhq/bifrost/pull/7079), so other texts are sent as bytes.
 * @throws {GatewayError} 400 for a URL or a file id, and for content blocks other than text
 */
function mediaContent(block: Block, path: string, isCited: boolean): object {
  const source = mediaSource(block);
  switch (source.type) {
    case 'base64':
      return { format: 'pdf', source: { bytes: source.data } };
    case 'text':
      return { format: 'txt', source: isCited ? { text: source.data } : textBytes(source.data!) };
    case 'content': {
      const texts = documentTexts(source.content!, `${path}.source.content`);
      const cited = { content: texts.map((text) => ({ text })) };
      return { format: 'txt', source: isCited ? cited : textBytes(texts.join('\n')) };
    }
    default:
      throw invalidRequest(
        `${path}.source.type`,
        `"${source.type}" does not work on this model; send the document as base64 or text`,
      );
  }
}

function textBytes(text: string): object {
  return { bytes: Buffer.from(isBlank(text) ? EMPTY_DOCUMENT : text).toString('base64') };
}

function mediaSource(block: Block): MediaSource {
  return block['source'] as MediaSource;
}
