/** Images and documents, as chat completions take them. */

import { invalidRequest } from '../../platform/errors.ts';
import type { Block } from '../../messages/types.ts';
import type { ChatTarget } from './target.ts';
import { documentText, refuseCitations } from '../translated/documents.ts';
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
  const source = block['source'] as { type: string; data?: string };
  refuseCitations(block, path);
  const title = typeof block['title'] === 'string' ? block['title'] : 'document';
  const text = documentText(block, path);
  if (text !== undefined) return { type: 'text', text };
  if (source.type === 'base64' && quirks.pdf_files) return pdfPart(source.data!, title, quirks);
  throw invalidRequest(
    `${path}.source.type`,
    `"${source.type}" documents do not work on this model; send the text of the document instead`,
  );
}
