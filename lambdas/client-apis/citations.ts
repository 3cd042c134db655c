interface UrlAnnotation {
  type: 'url_citation';
  url_citation: { url: string; title: string; start_index: number; end_index: number; content?: string };
}

/** Returns the annotation for a citation; undefined for a citation of the client's own document, which has no URL. */
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

/** Returns annotations for the citations of a block whose text is between `start` and `end`. */
export function urlAnnotations(citations: unknown, start: number, end: number): UrlAnnotation[] {
  if (!Array.isArray(citations)) return [];
  return citations.map((citation) => urlAnnotation(citation, start, end)).filter((found) => found !== undefined);
}
