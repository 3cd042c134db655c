/** Converts citations into annotations with positions in the text. */

interface UrlAnnotation {
  type: 'url_citation';
  url_citation: { url: string; title: string; start_index: number; end_index: number; content?: string };
}

/**
 * Returns the annotation of a web page. Only web pages have a URL, so citations of the client's documents are omitted.
 */
function urlAnnotation(citation: unknown, start: number, end: number): UrlAnnotation | undefined {
  const { url, title, cited_text: content } = (citation ?? {}) as Record<string, unknown>;
  if (typeof url !== 'string') return undefined;
  return {
    type: 'url_citation',
    url_citation: {
      url,
      title: typeof title === 'string' ? title : '',
      start_index: start,
      end_index: end,
      ...(typeof content === 'string' ? { content } : {}),
    },
  };
}

/** Returns annotations for the citations of a block that covers this part of the text. */
export function urlAnnotations(citations: unknown, start: number, end: number): UrlAnnotation[] {
  if (!Array.isArray(citations)) return [];
  return citations.map((citation) => urlAnnotation(citation, start, end)).filter((found) => found !== undefined);
}
