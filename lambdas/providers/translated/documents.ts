/**
 * Converts documents for wires other than the Messages API. A text document becomes a text in a <document> tag with its
 * title.
 */

import { invalidRequest } from '../../platform/errors.ts';
import type { Block } from '../../messages/types.ts';

type TextSource = { type: 'text'; data: string } | { type: 'content'; content: string | Block[] };
type FileSource =
  | { type: 'base64'; media_type: string; data: string }
  | { type: 'url'; url: string }
  | { type: 'file'; file_id: string };

/** A document in the form in which it is sent: as text, or as a file. */
type ReadDocument = { text: string } | { text: undefined; source: FileSource; title: string };

/**
 * Reads a document block.
 * @throws {GatewayError} 400 for citations, a feature of only Claude, and for content blocks other than text
 */
export function readDocument(block: Block, path: string): ReadDocument {
  refuseCitations(block, path);
  const source = block['source'] as TextSource | FileSource;
  const title = typeof block['title'] === 'string' ? block['title'] : 'document';
  if (source.type !== 'text' && source.type !== 'content') return { text: undefined, source, title };
  const text =
    source.type === 'text' ? source.data : documentTexts(source.content, `${path}.source.content`).join('\n');
  return { text: inTag(block, text) };
}

/**
 * Returns a text with the client's title and context, for a document sent as a file; empty without them.
 * @param isNamed whether the file is sent with a name, which contains the title
 */
export function aboutFile(block: Block, isNamed: boolean): string {
  const { title, context } = block;
  const hasOwnText = isString(context) || (!isNamed && isString(title));
  return hasOwnText ? inTag(block, '(its file follows)') : '';
}

function inTag({ title, context }: Block, text: string): string {
  const name = typeof title === 'string' ? title : 'document';
  const about = isString(context) ? `\n<context>${context}</context>` : '';
  return `<document title="${name}">${about}\n${text}\n</document>`;
}

function isString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Returns the error for a document with a kind of source that the endpoint does not support. */
export function unreadableDocument(sourceType: string, path: string): Error {
  return invalidRequest(
    `${path}.source.type`,
    `"${sourceType}" documents do not work on this model; send the text of the document instead`,
  );
}

/**
 * Returns the texts of a document's content.
 * @throws {GatewayError} 400 for blocks other than text
 */
export function documentTexts(content: string | Block[], path: string): string[] {
  if (typeof content === 'string') return [content];
  return content.map((block, index) => {
    if (block.type === 'text') return block['text'] as string;
    throw invalidRequest(
      `${path}.${index}.type`,
      `a document of type "${block.type}" does not work on this model; send text`,
    );
  });
}

export function wantsCitations(block: Block): boolean {
  return (block['citations'] as { enabled?: unknown } | null | undefined)?.enabled === true;
}

/**
 * Refuses a document with citations enabled.
 * @throws {GatewayError} 400
 */
export function refuseCitations(block: Block, path: string): void {
  if (!wantsCitations(block)) return;
  throw invalidRequest(`${path}.citations.enabled`, 'only works on Anthropic models; leave it out');
}
