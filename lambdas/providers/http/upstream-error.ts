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

/** The upstream could not be reached, went silent, broke off, or sent something unreadable. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}
