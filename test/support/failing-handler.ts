import { describeError } from '../../lambdas/platform/logger.ts';

function fail(): never {
  throw new Error('a fault of our own');
}

/** A function that fails and returns the stack that it would log; tests bundle it like the real functions. */
export function handler(): string {
  try {
    return fail();
  } catch (error) {
    return describeError(error).stack!;
  }
}
