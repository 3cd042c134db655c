import { GatewayError } from '../platform/errors.ts';
import { UpstreamError, type UpstreamResponse } from './upstream-http.ts';
import type { WireRefusal } from './wire.ts';

/** Failures of upstreams as refusals of ours, and whether another endpoint may do better. */

/** Statuses that the request itself caused: every endpoint would give the same answer. */
const REQUEST_FAULTS = new Set([400, 413, 422]);

export function mayTryAnother(error: unknown): boolean {
  if (error instanceof UpstreamError) return error.failure !== 'aborted';
  return error instanceof GatewayError && error.metadata['provider_status'] !== undefined
    ? !REQUEST_FAULTS.has(error.metadata['provider_status'] as number)
    : false;
}

/** The refusal of an upstream that answered with an error status. Its words go to the client, who may match on them. */
export function refusalOf(
  status: number,
  refusal: WireRefusal,
  headers: UpstreamResponse['headers'],
  provider: string,
): GatewayError {
  const metadata = { provider_name: provider, provider_status: status };
  const retryAfter = headers['retry-after'];
  const more = { metadata, ...(retryAfter ? { headers: { 'retry-after': retryAfter } } : {}) };
  switch (status) {
    case 400:
    case 422:
      return new GatewayError(400, contextFault(refusal.message), refusal.message, more);
    case 413:
      return new GatewayError(413, 'payload_too_large', refusal.message, more);
    case 429:
      return new GatewayError(429, 'rate_limit_exceeded', refusal.message, more);
    case 408:
    case 504:
      return new GatewayError(504, 'timeout', refusal.message, more);
    case 503:
    case 529:
      return new GatewayError(529, 'provider_overloaded', refusal.message, more);
    case 401:
    case 402:
    case 403:
    case 404:
      // Between the operator and the provider: the client's own key and model are fine.
      return new GatewayError(
        502,
        'provider_unavailable',
        `${provider} refused the gateway's own request (status ${status}). Tell the gateway's operator.`,
        { metadata },
      );
    default:
      return new GatewayError(502, 'provider_unavailable', refusal.message, more);
  }
}

function contextFault(message: string): 'context_length_exceeded' | 'invalid_request' {
  return /prompt is too long|exceeds? (the )?(model'?s? )?(context|maximum)|context.?(length|window)|maximum (context|prompt|input)|input tokens? (exceeds?|count)|range of input length|too many (input )?tokens/i.test(
    message,
  )
    ? 'context_length_exceeded'
    : 'invalid_request';
}

export function unreachable(error: UpstreamError, provider: string): GatewayError {
  const metadata = { provider_name: provider };
  const timedOut = error.failure.endsWith('_timeout');
  return timedOut
    ? new GatewayError(504, 'timeout', `${error.message} (${provider}).`, { metadata, cause: error })
    : new GatewayError(502, 'provider_unavailable', `${error.message} (${provider}).`, { metadata, cause: error });
}

/** The failure of an answer that had begun, from the error event that its provider sent. */
export function brokenAnswer(type: string, message: string, provider: string): GatewayError {
  const metadata = { provider_name: provider };
  switch (type) {
    case 'overloaded_error':
      return new GatewayError(529, 'provider_overloaded', message, { metadata });
    case 'rate_limit_error':
      return new GatewayError(429, 'rate_limit_exceeded', message, { metadata });
    case 'timeout_error':
      return new GatewayError(504, 'timeout', message, { metadata });
    case 'invalid_request_error':
      return new GatewayError(400, 'invalid_request', message, { metadata });
    default:
      return new GatewayError(502, 'provider_unavailable', message, { metadata });
  }
}
