/** Matches the head of a base64 data URL, with its media type. Parameters such as a charset are skipped. */
const DATA_URL_HEAD = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]{1,100})*;base64,/i;
/** Number of characters in which the head of a data URL is searched. */
const MAX_HEAD_CHARACTERS = 512;

export interface DataUrl {
  /** Media type in lower case; empty if the URL has none. */
  mediaType: string;
  /** Content of the URL, which may be invalid base64. */
  base64: string;
}

/** Parses a base64 data URL; returns undefined for any other text. */
export function readDataUrl(text: string): DataUrl | undefined {
  const [head, mediaType = ''] = DATA_URL_HEAD.exec(text.slice(0, MAX_HEAD_CHARACTERS)) ?? [];
  return head === undefined ? undefined : { mediaType: mediaType.toLowerCase(), base64: text.slice(head.length) };
}
