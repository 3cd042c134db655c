import { UpstreamError } from './upstream-error.ts';

/**
 * Parses the text of a response.
 * @throws {UpstreamError} if the text is not JSON
 */
export function parsedAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UpstreamError('malformed', 'The provider sent an answer that is not JSON', error);
  }
}
