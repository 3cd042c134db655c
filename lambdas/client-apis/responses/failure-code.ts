import type { ErrorKind, GatewayError } from '../../platform/errors.ts';

/**
 * Error codes of the Responses API. On any other code, Codex retries the turn and then does not show why the turn
 * failed.
 */
const codes: Partial<Record<ErrorKind, string>> = {
  invalid_request: 'invalid_prompt',
  payment_required: 'insufficient_quota',
  rate_limit_exceeded: 'rate_limit_exceeded',
  provider_overloaded: 'server_is_overloaded',
};

/**
 * Returns the code of a failure within a stream. If the output so far is charged, clients must not retry. The failure
 * then gets the only code on which every client shows the message and does not retry. A prompt that is too long keeps
 * its own code, because clients then shorten the conversation.
 */
export function failureCode({ kind, headers }: GatewayError): string {
  if (kind === 'context_length_exceeded') return kind;
  if (headers['x-should-retry'] === 'false') return 'invalid_prompt';
  return codes[kind] ?? 'server_error';
}
