/** Documents for wires that have no block for them: what is text goes as text, in a tag with its title. */

import { invalidRequest } from '../../platform/errors.ts';
import type { Block } from '../../messages/types.ts';

type TextSource = { type: 'text'; data: string } | { type: 'content'; content: string | Block[] };
/** Where a document is that is not text. */
type FileSource =
  | { type: 'base64'; media_type: string; data: string }
  | { type: 'url'; url: string }
  | { type: 'file'; file_id: string };

/** A document as it is sent: its text, or a file that the wire may know how to send. */
type ReadDocument = { text: string } | { text: undefined; source: FileSource; title: string };

/** @throws {GatewayError} 400 for what no model of another family does with a document. */
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
 * What the client says about a document whose file stands behind it; empty where the file says it all.
 * @param isNamed its file has a name, which is its title
 */
export function aboutFile(block: Block, isNamed: boolean): string {
  const { title, context } = block;
  const saysMore = isString(context) || (!isNamed && isString(title));
  return saysMore ? inTag(block, '(its file follows)') : '';
}

function inTag({ title, context }: Block, text: string): string {
  const name = typeof title === 'string' ? title : 'document';
  const about = isString(context) ? `\n<context>${context}</context>` : '';
  return `<document title="${name}">${about}\n${text}\n</document>`;
}

function isString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The refusal of a document whose source the endpoint cannot be sent. */
export function unreadableDocument(sourceType: string, path: string): Error {
  return invalidRequest(
    `${path}.source.type`,
    `"${sourceType}" documents do not work on this model; send the text of the document instead`,
  );
}

/** The texts that a document is made of. @throws {GatewayError} 400 for anything else in it. */
export function documentTexts(content: string | Block[], path: string): string[] {
  if (typeof content === 'string') return [content];
  return content.map((block, index) => {
    if (block.type === 'text') return block['text'] as string;
    throw invalidRequest(`${path}.${index}.type`, `a document of type "${block.type}" does not work on this model`);
  });
}

export function wantsCitations(block: Block): boolean {
  return (block['citations'] as { enabled?: unknown } | null | undefined)?.enabled === true;
}

/** @throws {GatewayError} 400 for a document that asks for them. */
export function refuseCitations(block: Block, path: string): void {
  if (!wantsCitations(block)) return;
  throw invalidRequest(`${path}.citations.enabled`, 'citations only work on Anthropic models; leave it out');
}
