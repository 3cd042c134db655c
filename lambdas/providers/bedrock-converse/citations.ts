import { asOptionalRecord, asRecord, asRecords, asText } from '../shapes.ts';

/**
 * Converts a citation to the form of the Messages API.
 * @returns undefined without a location of a known kind
 */
export function converseCitation(citation: Record<string, unknown>): Record<string, unknown> | undefined {
  const location = asOptionalRecord(citation['location']) ?? {};
  const title = asText(citation['title']) || null;
  const cited = { cited_text: citedText(citation['sourceContent']) };
  const [kind, place] = Object.entries(location)[0] ?? [];
  if (kind === undefined) return undefined;
  const at = asRecord(place);
  const document = { ...cited, document_index: numberOf(at['documentIndex']), document_title: title };
  const start = numberOf(at['start']);
  const end = numberOf(at['end']);
  switch (kind) {
    case 'documentChar':
      return { type: 'char_location', ...document, start_char_index: start, end_char_index: end };
    case 'documentPage':
      return { type: 'page_location', ...document, start_page_number: start, end_page_number: end };
    case 'documentChunk':
      return { type: 'content_block_location', ...document, start_block_index: start, end_block_index: end };
    case 'searchResultLocation':
      return {
        type: 'search_result_location',
        ...cited,
        source: asText(citation['source']),
        title,
        search_result_index: numberOf(at['searchResultIndex']),
        start_block_index: start,
        end_block_index: end,
      };
    case 'web':
      // The field `encrypted_index` is empty, because no later turn of Converse needs it.
      return {
        type: 'web_search_result_location',
        ...cited,
        url: asText(at['url']),
        title: title ?? (asText(at['domain']) || null),
        encrypted_index: '',
      };
    default:
      return undefined;
  }
}

function citedText(content: unknown): string {
  return asRecords(content)
    .map((part) => asText(part['text']))
    .join('');
}

function numberOf(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}
