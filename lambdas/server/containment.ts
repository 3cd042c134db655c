/**
 * Confines an uncaught error to its own request. A server handles many requests at a time, so it logs an uncaught
 * error, and fails only the request in which it was thrown.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { describeError, log } from '../platform/logger.ts';

interface Course {
  fail: (error: Error) => void;
}

const courses = new AsyncLocalStorage<Course>();

/**
 * Runs work, and also rejects if the work throws an uncaught error outside its promise.
 * @throws the error of the work, or the uncaught error; in the second case, the work may continue
 */
export function contained<Result>(work: () => Promise<Result>): Promise<Result> {
  const { promise: escaped, reject: fail } = Promise.withResolvers<never>();
  const result = courses.run({ fail }, work);
  // Both promises may reject, and the second rejection must not count as an uncaught error.
  result.catch(() => undefined);
  escaped.catch(() => undefined);
  return Promise.race([result, escaped]);
}

/** Makes an uncaught error fail only the request in which it was thrown. Outside of requests, it ends the process. */
export function containFaults(): void {
  // If the reader of the log exits, as in `npm start 2>&1 | head`, further log lines are dropped.
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', (error) => {
    const course = courses.getStore();
    log('error', 'uncaught error', {
      ...describeError(error),
      route: course ? 'in a request' : 'outside of requests',
    });
    if (!course) process.exit(1);
    course.fail(error);
  });
}
