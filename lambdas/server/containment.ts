/**
 * Limits an uncaught error to its own request. On AWS, a function's sandbox serves one request at a time, so an
 * uncaught error ends only that request. This process serves many requests. So an uncaught error is logged, and fails
 * only the request in which it was thrown.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { describeError, log } from '../platform/logger.ts';

interface Course {
  fail: (error: Error) => void;
}

const courses = new AsyncLocalStorage<Course>();

/**
 * Runs work, and throws an uncaught error of that work as its own error.
 * @throws the uncaught error; the work itself continues, and nothing waits for its end
 */
export function contained<Result>(work: () => Promise<Result>): Promise<Result> {
  const { promise: escaped, reject: fail } = Promise.withResolvers<never>();
  const result = courses.run({ fail }, work);
  // Both promises may fail. The race reports the first failure. The second must not count as an uncaught error.
  result.catch(() => undefined);
  escaped.catch(() => undefined);
  return Promise.race([result, escaped]);
}

/**
 * Makes an uncaught error fail only the request in which it was thrown. An error outside of all requests ends the
 * process.
 */
export function containFaults(): void {
  // If the reader of the log exits, as in `npm start 2>&1 | head`, log lines and the errors about them are dropped.
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
