export type UpstreamFailure =
  | 'unauthorized'
  | 'connect'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'broken'
  | 'malformed'
  /** The answer, or data without any output, is larger than the gateway reads. */
  | 'too_large'
  | 'aborted';

/** Error codes of the system and of certificates: `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/** The provider could not be reached, went silent, closed the connection, or sent unreadable data. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }

  /** The failure in one word: the system's error code if there is one, otherwise the kind of failure. */
  get word(): string {
    const { code } = (this.cause ?? {}) as { code?: unknown };
    return typeof code === 'string' && SYSTEM_CODE.test(code) ? code : this.failure;
  }
}
