import type { HttpRequest } from '../../http/request.ts';

/** The shapes that lists of models have. */
type Dialect = 'convention' | 'messages' | 'codex';

/**
 * Clients of the Messages API name their version of it in a header of every request, and Codex its own version in the query; everyone else
 * gets the shape of the public convention.
 */
export function dialectOf(request: Pick<HttpRequest, 'headers' | 'query'>): Dialect {
  if (isMessagesClient(request)) return 'messages';
  return request.query['client_version'] === undefined ? 'convention' : 'codex';
}

export function isMessagesClient({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return Boolean(headers['anthropic-version']);
}
