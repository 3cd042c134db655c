import { describeError } from '../../lambdas/platform/logger.ts';

function fail(): never {
  throw new Error('a fault of our own');
}

/** A function that fails and answers with the stack that would be logged, to be bundled as the real ones are. */
export function handler(): string {
  try {
    return fail();
  } catch (error) {
    return describeError(error).stack!;
  }
}
