/** Converts annotations to citations. `encrypted_index` is empty, because no later turn needs it. */

const MAX_CITED_CHARACTERS = 150;

/**
 * Converts an annotation to a citation.
 * @returns undefined for an annotation that cites neither a URL nor a file
 */
export function citationOf(annotation: Record<string, unknown>): Record<string, unknown> | undefined {
  const { type } = annotation;
  if (type === 'url_citation') return urlCitation(annotation);
  return type === 'file' || type === 'file_citation' ? fileCitation(annotation) : undefined;
}

/** Converts a citation of a URL. Some providers nest the URL and title in a field; others have them next to `type`. */
function urlCitation(annotation: Record<string, unknown>): Record<string, unknown> | undefined {
  const source = citationRecord(annotation, 'url_citation');
  const url = source['url'];
  if (typeof url !== 'string' || url === '') return undefined;
  return {
    type: 'web_search_result_location',
    url,
    title: typeof source['title'] === 'string' ? source['title'] : null,
    cited_text: citedExcerpt(source['content']),
    encrypted_index: '',
  };
}

function fileCitation(annotation: Record<string, unknown>): Record<string, unknown> {
  const source = citationRecord(annotation, String(annotation['type']));
  const name = [source['filename'], source['name'], source['file_id']].find((value) => typeof value === 'string');
  const index = Number.isSafeInteger(source['index']) ? (source['index'] as number) : 0;
  return {
    type: 'char_location',
    document_index: 0,
    document_title: name ?? null,
    cited_text: citedExcerpt(source['content'] ?? source['quote']),
    start_char_index: index,
    end_char_index: index,
  };
}

function citationRecord(annotation: Record<string, unknown>, field: string): Record<string, unknown> {
  const nested = annotation[field];
  return typeof nested === 'object' && nested !== null ? (nested as Record<string, unknown>) : annotation;
}

/** Returns the first MAX_CITED_CHARACTERS of a string, or of the joined texts in a list of parts. */
function citedExcerpt(content: unknown): string {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part: unknown) => {
    if (typeof part === 'string') return part;
    const inner = (part as { text?: unknown } | null | undefined)?.text;
    return typeof inner === 'string' ? inner : '';
  });
  return texts.join(' ').slice(0, MAX_CITED_CHARACTERS);
}
