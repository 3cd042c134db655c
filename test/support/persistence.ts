import { toGatewayError, type ErrorKind } from '../../lambdas/platform/errors.ts';

/** As often as a queue delivers again, or a patient client asks again. */
const MAX_ASKED = 20;

/**
 * Does something as a client or a queue does it: again, while the gateway says that it is busy.
 * @throws what is not said to pass
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

/** The same of what can be done once. @param done the kind of error that says that an earlier try has done it after all */
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
