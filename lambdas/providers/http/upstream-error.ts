export type UpstreamFailure =
  | 'unauthorized'
  | 'connect'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'broken'
  | 'malformed'
  /** The answer, or the data between two outputs, is larger than the gateway's limit. */
  | 'too_large'
  | 'aborted';

/** Matches error codes of the operating system and of certificates, such as `ENOTFOUND` and `CERT_HAS_EXPIRED`. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/** Thrown if the provider could not be reached, went silent, closed the connection, or sent unreadable data. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }

  /** The failure in one word: the system's error code if there is one, otherwise `failure`. */
  get word(): string {
    const { code } = (this.cause ?? {}) as { code?: unknown };
    return typeof code === 'string' && SYSTEM_CODE.test(code) ? code : this.failure;
  }
}
