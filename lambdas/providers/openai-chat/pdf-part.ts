import type { OpenaiChatQuirks } from '../../catalog/wires.ts';

/** A PDF as a content part: a `file` as OpenAI has it, or a data URL where a provider reads PDFs like images. */
export function pdfPart(base64: string, title: string, { pdf_part: part }: OpenaiChatQuirks): unknown {
  const dataUrl = `data:application/pdf;base64,${base64}`;
  if (part === 'image_url') return { type: 'image_url', image_url: { url: dataUrl } };
  return { type: 'file', file: { filename: title.endsWith('.pdf') ? title : `${title}.pdf`, file_data: dataUrl } };
}
