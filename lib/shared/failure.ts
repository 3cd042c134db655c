/** Something that a person must fix before the gateway can run: shown as one sentence, with exit code 1. */
export class StartFailure extends Error {
  override name = 'StartFailure';
}
