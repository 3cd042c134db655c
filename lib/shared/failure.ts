/**
 * A problem that a person must fix before the gateway can run. It is printed without a stack trace, with exit code 1.
 */
export class StartFailure extends Error {
  override name = 'StartFailure';
}
