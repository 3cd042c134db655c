import type { HttpRequest } from '../../http/request.ts';

/**
 * Lists of models and single models have two shapes. Clients of the Messages API say so in every request, with the
 * header that names their version of it; everyone else gets the shape of the public convention.
 */
export function isMessagesClient({ headers }: HttpRequest): boolean {
  return Boolean(headers['anthropic-version']);
}
