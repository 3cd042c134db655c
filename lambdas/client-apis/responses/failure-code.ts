import type { ErrorKind, GatewayError } from '../../platform/errors.ts';

/** Codes that clients of this API know. Codex repeats a turn for every other one, and then does not show why it failed. */
const codes: Partial<Record<ErrorKind, string>> = {
  invalid_request: 'invalid_prompt',
  payment_required: 'insufficient_quota',
  rate_limit_exceeded: 'rate_limit_exceeded',
  provider_overloaded: 'server_is_overloaded',
};

/**
 * The code of a failure within a stream. A failure that must not be repeated, because what was written until then is charged, has
 * the one code with which every client shows the message, and asks no more. A prompt that is too long keeps its own: by it clients shorten
 * the conversation.
 */
export function failureCode({ kind, headers }: GatewayError): string {
  if (kind === 'context_length_exceeded') return kind;
  if (headers['x-should-retry'] === 'false') return 'invalid_prompt';
  return codes[kind] ?? 'server_error';
}
