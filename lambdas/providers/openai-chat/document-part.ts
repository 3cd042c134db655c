import type { OpenaiChatQuirks } from '../../catalog/quirk-schemas.ts';
import type { Block } from '../../messages/types.ts';
import { unreadableDocument } from '../translated/documents.ts';
import { inlineDocument } from '../translated/media.ts';

/**
 * Converts a document to content parts: text, or a PDF as a `file`.
 * @throws {GatewayError} 400 for an unsupported document or document feature
 */
export function chatDocumentParts(block: Block, path: string, quirks: OpenaiChatQuirks): unknown[] {
  const document = inlineDocument(block, path);
  if (document.kind === 'text') return [{ type: 'text', text: document.text }];
  if (document.kind === 'url' || !quirks.pdf_files) throw unreadableDocument(document.kind, path);
  const { filename, dataUrl, about } = document;
  const file = { type: 'file', file: { filename, file_data: dataUrl } };
  return about === '' ? [file] : [{ type: 'text', text: about }, file];
}
