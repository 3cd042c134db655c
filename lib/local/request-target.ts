/** What a request asks for, as it stands in its first line. */
export interface RequestTarget {
  /** Neither decoded nor resolved: API Gateway takes `..` for a name like any other. */
  path: string;
  /** Without the question mark. */
  query: string;
}

/** @returns undefined for what is neither a path nor an address, like the `*` of OPTIONS. */
export function readTarget(text: string): RequestTarget | undefined {
  const local = text.replace(/^https?:\/\/[^/?#]*/i, '');
  const isAddress = local.length < text.length;
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(local)!;
  if (path.startsWith('/')) return { path, query };
  return isAddress && path === '' ? { path: '/', query } : undefined;
}
