import type { ErrorKind, GatewayError } from '../../platform/errors.ts';

/**
 * OpenAI's error codes, by the gateway's kind of error. After an unknown code, Codex retries the turn, and then does
 * not show why it failed.
 */
const codes: Partial<Record<ErrorKind, string>> = {
  invalid_request: 'invalid_prompt',
  payment_required: 'insufficient_quota',
  rate_limit_exceeded: 'rate_limit_exceeded',
  provider_overloaded: 'server_is_overloaded',
};

/**
 * Returns the error code for a failure within a stream. After `invalid_prompt`, clients show the message and do not
 * retry. After `context_length_exceeded`, they shorten the conversation.
 */
export function failureCode({ kind, headers }: GatewayError): string {
  if (kind === 'context_length_exceeded') return kind;
  if (headers['x-should-retry'] === 'false') return 'invalid_prompt';
  return codes[kind] ?? 'server_error';
}
