import { toGatewayError, type ErrorKind } from '../../lambdas/platform/errors.ts';

/** Maximum number of attempts. A patient client and a queue repeat a request more often. */
const MAX_ASKED = 20;

/**
 * Repeats work while the gateway is busy.
 * @throws {Error} the error of the work if it is not temporary, or after MAX_ASKED attempts
 */
export async function persistently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let asked = 1; ; asked += 1) {
    try {
      return await work();
    } catch (error) {
      if (toGatewayError(error).kind !== 'provider_overloaded' || asked === MAX_ASKED) throw error;
    }
  }
}

/**
 * Repeats work that can succeed only once, while the gateway is busy.
 * @param done error that shows that an earlier attempt has succeeded
 */
export async function persistentlyOnce(work: () => Promise<unknown>, done: ErrorKind): Promise<void> {
  let asked = 0;
  await persistently(async () => {
    asked += 1;
    try {
      await work();
    } catch (error) {
      if (asked === 1 || toGatewayError(error).kind !== done) throw error;
    }
  });
}
