/** Removes markup from the texts of search results. */

const namedEntities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  laquo: '«',
  raquo: '»',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  shy: '',
};

/** Removes tags, and then decodes entities once. */
export function plainText(html: string): string {
  return decodeEntities(html.replaceAll(/<(?:!--[^<>]*--|\/?[a-z][^<>]*)>/gi, ''));
}

/** Replaces the entities of HTML and XML by their characters. Unknown entities stay unchanged. */
export function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
    (entity, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return (Object.hasOwn(namedEntities, name) ? namedEntities[name] : undefined) ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
      return code > 0x10_ff_ff ? '\ufffd' : String.fromCodePoint(code);
    },
  );
}
