export type UpstreamFailure =
  | 'unauthorized'
  | 'connect'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'broken'
  | 'malformed'
  /** The body is larger than the gateway accepts. */
  | 'too_large'
  /** The provider rejected the content of the request, in a response with a success status. */
  | 'refused'
  | 'aborted';

/** Matches error codes of the operating system and of certificates, such as `ENOTFOUND` and `CERT_HAS_EXPIRED`. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/** Thrown if an exchange with a provider fails, or the gateway aborts the exchange. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }

  /** Whether no part of the request can have reached the provider. */
  get isUnsent(): boolean {
    return this.failure === 'connect' || this.failure === 'connect_timeout' || this.failure === 'unauthorized';
  }

  /** The failure as one word, for records: the error code of the operating system, or else `failure`. */
  get word(): string {
    const { code } = (this.cause ?? {}) as { code?: unknown };
    return typeof code === 'string' && SYSTEM_CODE.test(code) ? code : this.failure;
  }
}

/** Error codes of failures before any part of the request was sent. */
const UNREACHED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|(CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT)_\w+)$/;

/** Converts an error of a connection to a failure of the provider. */
export function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (UNREACHED.test((error as NodeJS.ErrnoException).code ?? '')) {
    return new UpstreamError('connect', 'The provider could not be reached', error);
  }
  return new UpstreamError('broken', 'The connection to the provider was interrupted', error);
}
