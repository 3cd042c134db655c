/** A problem that a person must fix, printed without a stack trace. */
export class StartFailure extends Error {
  override name = 'StartFailure';
}
