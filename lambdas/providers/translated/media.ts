/** Images and documents of a request, as wires that have no blocks for them say them. */

import { invalidRequest } from '../../platform/errors.ts';
import type { Block } from '../../messages/types.ts';

/**
 * An image's own address, or a data URL.
 * @throws {GatewayError} 400 for a file by its id, which only its own provider can read.
 */
export function imageUrl(block: Block, path: string): string {
  const source = block['source'] as { type: string; media_type?: string; data?: string; url?: string };
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  if (source.type === 'url') return source.url!;
  throw invalidRequest(`${path}.source.type`, 'files only work on Anthropic models; send the image as base64 or url');
}

/** A document as a wire can say it: its text, in a tag, or a PDF, which not every provider reads. */
export type SpokenDocument =
  | { kind: 'text'; text: string }
  | { kind: 'pdf'; filename: string; dataUrl: string }
  | { kind: 'url'; filename: string; url: string };

/** @throws {GatewayError} 400 for what no translated wire can say. */
export function spokenDocument(block: Block, path: string): SpokenDocument {
  const source = block['source'] as DocumentSource;
  if ((block['citations'] as { enabled?: unknown } | null | undefined)?.enabled === true) {
    throw invalidRequest(`${path}.citations.enabled`, 'citations only work on Anthropic models; leave it out');
  }
  const title = typeof block['title'] === 'string' ? block['title'] : 'document';
  const context = typeof block['context'] === 'string' ? `\n<context>${block['context']}</context>` : '';
  const inTag = (text: string) => `<document title="${title}">${context}\n${text}\n</document>`;
  const filename = title.endsWith('.pdf') ? title : `${title}.pdf`;
  switch (source.type) {
    case 'text':
      return { kind: 'text', text: inTag(source.data) };
    case 'content':
      return { kind: 'text', text: inTag(textOf(source.content, `${path}.source.content`)) };
    case 'base64':
      return { kind: 'pdf', filename, dataUrl: `data:application/pdf;base64,${source.data}` };
    case 'url':
      return { kind: 'url', filename, url: source.url };
    case 'file':
      throw unreadableDocument(block, path);
  }
}

type DocumentSource =
  | { type: 'text' | 'base64'; data: string }
  | { type: 'content'; content: string | Block[] }
  | { type: 'url'; url: string }
  | { type: 'file' };

/** The refusal of a document that the model cannot be shown. */
export function unreadableDocument(block: Block, path: string): Error {
  const { type } = block['source'] as { type: string };
  return invalidRequest(
    `${path}.source.type`,
    `"${type}" documents do not work on this model; send the text of the document instead`,
  );
}

function textOf(content: string | Block[], path: string): string {
  if (typeof content === 'string') return content;
  const texts = content.map((block, index) => {
    if (block.type === 'text') return block['text'] as string;
    throw invalidRequest(`${path}.${index}.type`, `a document of type "${block.type}" does not work on this model`);
  });
  return texts.join('\n');
}
