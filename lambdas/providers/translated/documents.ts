/** Documents of a prompt, for models that read them as text. */

import { invalidRequest } from '../../platform/errors.ts';
import type { Block } from '../../messages/types.ts';

/** The text of a document in a tag that names it; undefined for a file. @throws {GatewayError} 400 for images in it. */
export function documentText(block: Block, path: string): string | undefined {
  const source = block['source'] as { type: string; data?: string; content?: string | Block[] };
  const inTag = (text: string) => {
    const title = typeof block['title'] === 'string' ? block['title'] : 'document';
    const context = typeof block['context'] === 'string' ? `\n<context>${block['context']}</context>` : '';
    return `<document title="${title}">${context}\n${text}\n</document>`;
  };
  if (source.type === 'text') return inTag(source.data!);
  if (source.type !== 'content') return undefined;
  return inTag(documentTexts(source.content!, `${path}.source.content`).join('\n'));
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
