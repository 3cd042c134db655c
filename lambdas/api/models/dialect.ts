import type { HttpRequest } from '../../http/request.ts';

/** `convention` is the format of OpenRouter's API. */
type Dialect = 'convention' | 'messages' | 'codex';

/**
 * Returns the format that a client expects. Clients of the Messages API send the API version in a header. Codex sends
 * its own version in the query. All other clients get the format of OpenRouter's API.
 */
export function dialectOf(request: Pick<HttpRequest, 'headers' | 'query'>): Dialect {
  if (isMessagesClient(request)) return 'messages';
  return request.query['client_version'] === undefined ? 'convention' : 'codex';
}

export function isMessagesClient({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return Boolean(headers['anthropic-version']);
}
