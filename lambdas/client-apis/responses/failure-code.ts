import type { ErrorKind, GatewayError } from '../../platform/errors.ts';

/**
 * Error codes that clients of the Responses API support. After an unknown code, Codex retries the turn, and then does
 * not show why it failed.
 */
const codes: Partial<Record<ErrorKind, string>> = {
  invalid_request: 'invalid_prompt',
  payment_required: 'insufficient_quota',
  rate_limit_exceeded: 'rate_limit_exceeded',
  provider_overloaded: 'server_is_overloaded',
};

/**
 * Returns the error code for a failure within a stream. If a retry is discouraged, for example because the output
 * before the failure is charged, the code is `invalid_prompt`: clients then show the message and do not retry. A prompt
 * that is too long keeps its own code, because clients then shorten the conversation.
 */
export function failureCode({ kind, headers }: GatewayError): string {
  if (kind === 'context_length_exceeded') return kind;
  if (headers['x-should-retry'] === 'false') return 'invalid_prompt';
  return codes[kind] ?? 'server_error';
}
