/** Class of the failures of providers that have the same remedy. */
export type FailureClass = 'unreachable' | 'overloaded' | 'silent' | 'credential' | 'request' | 'unusable';

const classes: Record<string, FailureClass> = {
  connect: 'unreachable',
  connect_timeout: 'unreachable',
  rate_limit_exceeded: 'overloaded',
  provider_overloaded: 'overloaded',
  timeout: 'silent',
  first_byte_timeout: 'silent',
  idle_timeout: 'silent',
  unauthorized: 'credential',
  authentication: 'credential',
  payment_required: 'credential',
  permission_denied: 'credential',
  not_found: 'credential',
  invalid_request: 'request',
  context_length_exceeded: 'request',
  payload_too_large: 'request',
};

/**
 * Matches codes of the operating system and of certificates, for example ENOTFOUND. ECONNRESET and EPIPE usually occur
 * after the provider was reached, so they are excluded.
 */
const UNREACHABLE = /^(?!ECONNRESET|EPIPE)[A-Z][A-Z0-9_]+$/;

export function failureClass(failure: string): FailureClass {
  return classes[failure] ?? (UNREACHABLE.test(failure) ? 'unreachable' : 'unusable');
}
