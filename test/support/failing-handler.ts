import { describeError } from '../../lambdas/platform/logger.ts';

function fail(): never {
  throw new Error('a fault of our own');
}

/** Function that fails, and returns the stack that it would log, for tests of bundles. */
export function handler(): string {
  try {
    return fail();
  } catch (error) {
    return describeError(error).stack!;
  }
}
