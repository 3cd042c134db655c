import { GatewayError, type ErrorType } from '../platform/errors.ts';
import { redact, type Secrets } from './redact.ts';
import { UpstreamError, type UpstreamResponse } from './upstream-http.ts';
import type { WireRefusal } from './wire.ts';

/**
 * Failures of providers as refusals of ours. Whatever goes wrong between our request and the end of an answer is the
 * provider's failure, never our 500: also what nobody here has thought of.
 */
export class ProviderFailure extends GatewayError {
  override name = 'ProviderFailure';
  /** Another endpoint may do better; else the request itself is at fault, or everything has been tried. */
  readonly mayTryAnother: boolean;
  /** The provider has begun to answer, and was silent for longer than we wait: it may have been working, and charging. */
  readonly wasSilent: boolean;

  constructor(
    status: number,
    errorType: ErrorType,
    message: string,
    more: {
      provider: FailedProvider;
      status?: number;
      headers?: Record<string, string>;
      mayTryAnother?: boolean;
      wasSilent?: boolean;
      cause?: unknown;
    },
  ) {
    const metadata = {
      provider_name: more.provider.name,
      ...(more.status === undefined ? {} : { provider_status: more.status }),
    };
    super(status, errorType, message, { metadata, headers: more.headers ?? {}, cause: more.cause });
    this.mayTryAnother = more.mayTryAnother ?? true;
    this.wasSilent = more.wasSilent ?? false;
  }
}

/** The provider as a failure names it, and what its words must not tell. */
export interface FailedProvider extends Secrets {
  name: string;
}

/** Sooner or later than this is no advice. */
const RETRY_AFTER = /^\d{1,5}$/;
const NO_RETRY = { 'x-should-retry': 'false' };

/** The refusal of an upstream that answered with an error status. Its words go to the client, who may match on them. */
export function refusalOf(
  status: number,
  refusal: WireRefusal,
  headers: UpstreamResponse['headers'],
  provider: FailedProvider,
): ProviderFailure {
  const retryAfter = headers['retry-after'];
  const advice: Record<string, string> = {};
  if (retryAfter && RETRY_AFTER.test(retryAfter)) advice['retry-after'] = retryAfter;
  const more = { provider, status, headers: advice };
  const words = redact(refusal.message, provider);
  switch (status) {
    // The request itself caused these: every endpoint would give the same answer.
    case 400:
    case 422:
      return new ProviderFailure(400, contextFault(words), words, { ...more, mayTryAnother: false });
    case 413:
      return new ProviderFailure(413, 'payload_too_large', words, { ...more, mayTryAnother: false });
    case 429:
      return new ProviderFailure(429, 'rate_limit_exceeded', words, more);
    case 408:
    case 504:
      return new ProviderFailure(504, 'timeout', words, more);
    case 503:
    case 529:
      return new ProviderFailure(529, 'provider_overloaded', words, more);
    case 401:
    case 402:
    case 403:
    case 404:
      // Between the operator and the provider: the client's own key and model are fine.
      return new ProviderFailure(
        502,
        'provider_unavailable',
        `${provider.name} refused the gateway's own request (status ${status}). Tell the gateway's operator.`,
        { ...more, headers: { ...NO_RETRY } },
      );
    default:
      return new ProviderFailure(502, 'provider_unavailable', words, more);
  }
}

/** The status that an error inside an answer stands for; an answer that began has no other. */
export function statusOfErrorType(type: string | undefined): number {
  switch (type) {
    case 'invalid_request_error':
      return 400;
    case 'authentication_error':
      return 401;
    case 'billing_error':
      return 402;
    case 'permission_error':
      return 403;
    case 'not_found_error':
      return 404;
    case 'request_too_large':
      return 413;
    case 'rate_limit_error':
      return 429;
    case 'timeout_error':
      return 504;
    case 'overloaded_error':
      return 529;
    default:
      return 500;
  }
}

/** What was thrown while a provider answered, as its failure. */
export function failureOf(error: unknown, provider: FailedProvider): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (!(error instanceof UpstreamError)) {
    return new ProviderFailure(502, 'provider_unavailable', `${provider.name} sent an answer that cannot be read.`, {
      provider,
      cause: error,
    });
  }
  const message = `${error.message} (${provider.name}).`;
  const { failure } = error;
  if (failure !== 'connect_timeout' && failure !== 'first_byte_timeout' && failure !== 'idle_timeout') {
    const mayTryAnother = failure !== 'aborted';
    return new ProviderFailure(502, 'provider_unavailable', message, { provider, mayTryAnother, cause: error });
  }
  // Trying again would wait, and perhaps pay, as long again.
  // Only who has answered with a head can be at work.
  const wasSilent = failure === 'idle_timeout';
  return new ProviderFailure(504, 'timeout', message, { provider, wasSilent, headers: { ...NO_RETRY }, cause: error });
}

function contextFault(message: string): 'context_length_exceeded' | 'invalid_request' {
  return /prompt is too long|exceeds? (the )?(model'?s? )?(context|maximum)|context.?(length|window)|maximum (context|prompt|input)|input tokens? (exceeds?|count)|range of input length|too many (input )?tokens/i.test(
    message,
  )
    ? 'context_length_exceeded'
    : 'invalid_request';
}
