/**
 * Many requests share this process. On AWS a function's sandbox has one at a time, and an uncaught fault ends only its
 * own invocation. The same is true here: an uncaught fault is logged, and fails only the request that it came from.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { describeError, log } from '../platform/logger.ts';

interface Course {
  fail: (error: Error) => void;
}

const courses = new AsyncLocalStorage<Course>();

/** @throws the uncaught error of the work; the work itself continues, and nothing waits for its end. */
export function contained<Result>(work: () => Promise<Result>): Promise<Result> {
  const { promise: escaped, reject: fail } = Promise.withResolvers<never>();
  const result = courses.run({ fail }, work);
  // Both may fail, and only one failure is reported.
  result.catch(() => undefined);
  escaped.catch(() => undefined);
  return Promise.race([result, escaped]);
}

/** Prevents uncaught faults from ending the process, unless a fault belongs to no request. */
export function containFaults(): void {
  // The reader of the log may exit (`npm start 2>&1 | head`). A failed log line is dropped, and so is an error about
  // it.
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', (error) => {
    const course = courses.getStore();
    log('error', 'a fault escaped', {
      ...describeError(error),
      route: course ? 'in a request' : 'outside of requests',
    });
    if (!course) process.exit(1);
    course.fail(error);
  });
}
