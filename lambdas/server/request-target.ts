/** Path and query in the first line of a request. */
export interface RequestTarget {
  /** Path as received. Like API Gateway, the server does not resolve `..`. */
  path: string;
  /** Query without the question mark. */
  query: string;
}

/**
 * Reads the target of a request.
 * @returns undefined for a target that is neither a path nor a URL, such as the `*` of OPTIONS
 */
export function readTarget(text: string): RequestTarget | undefined {
  const local = text.replace(/^https?:\/\/[^/?#]*/i, '');
  const isAddress = local.length < text.length;
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(local)!;
  if (path.startsWith('/')) return { path, query };
  return isAddress && path === '' ? { path: '/', query } : undefined;
}
