export type UpstreamFailure =
  | 'unauthorized'
  | 'connect'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'broken'
  | 'malformed'
  /** The answer, or what came without any output, is larger than the gateway reads. */
  | 'too_large'
  | 'aborted';

/** Codes of the system, and of certificates: `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/** The upstream could not be reached, went silent, broke off, or sent something unreadable. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }

  /** The failure in one word: the code of the system where it has given one, otherwise the kind of the failure. */
  get word(): string {
    const { code } = (this.cause ?? {}) as { code?: unknown };
    return typeof code === 'string' && SYSTEM_CODE.test(code) ? code : this.failure;
  }
}
