/** The target of a request, as its first line has it. */
export interface RequestTarget {
  /** Neither decoded nor resolved: to API Gateway `..` is a name like any other. */
  path: string;
  /** Without the question mark. */
  query: string;
}

/** @returns undefined for what is neither a path nor a URL, like the `*` of OPTIONS. */
export function readTarget(text: string): RequestTarget | undefined {
  const local = text.replace(/^https?:\/\/[^/?#]*/i, '');
  const isAddress = local.length < text.length;
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(local)!;
  if (path.startsWith('/')) return { path, query };
  return isAddress && path === '' ? { path: '/', query } : undefined;
}
