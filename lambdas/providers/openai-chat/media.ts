/** Images and documents, as chat completions take them. */

import { invalidRequest } from '../../platform/errors.ts';
import type { Block } from '../../messages/types.ts';
import type { ChatTarget } from './target.ts';
import { pdfPart } from './pdf-part.ts';

/** @throws {GatewayError} 400 for a file by its id, which only its own provider can read. */
export function imageUrl(block: Block, path: string): string {
  const source = block['source'] as { type: string; media_type?: string; data?: string; url?: string };
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  if (source.type === 'url') return source.url!;
  throw invalidRequest(`${path}.source.type`, 'files only work on Anthropic models; send the image as base64 or url');
}

/** @throws {GatewayError} 400 for what the model cannot be shown, or cannot do with it. */
export function documentPart(block: Block, path: string, { quirks }: ChatTarget): unknown {
  const source = block['source'] as { type: string; media_type?: string; data?: string; content?: string | Block[] };
  if ((block['citations'] as { enabled?: unknown } | null | undefined)?.enabled === true) {
    throw invalidRequest(`${path}.citations.enabled`, 'citations only work on Anthropic models; leave it out');
  }
  const title = typeof block['title'] === 'string' ? block['title'] : 'document';
  const context = typeof block['context'] === 'string' ? `\n<context>${block['context']}</context>` : '';
  const inTag = (text: string) => ({
    type: 'text',
    text: `<document title="${title}">${context}\n${text}\n</document>`,
  });
  if (source.type === 'text') return inTag(source.data!);
  if (source.type === 'content') return inTag(textOf(source.content!, `${path}.source.content`));
  if (source.type === 'base64' && quirks.pdf_files) return pdfPart(source.data!, title, quirks);
  throw invalidRequest(
    `${path}.source.type`,
    `"${source.type}" documents do not work on this model; send the text of the document instead`,
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
