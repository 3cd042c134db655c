/**
 * Many requests share this process. On AWS a function's sandbox has one at a time, and an escaped fault ends only its
 * own invocation. The same holds here: what escapes everything is logged, and fails the request that it came from.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { describeError, log } from '../platform/logger.ts';

interface Course {
  fail: (error: Error) => void;
}

const courses = new AsyncLocalStorage<Course>();

/** @throws what escaped during the work; the work itself goes on, and nobody waits for its end. */
export function contained<Result>(work: () => Promise<Result>): Promise<Result> {
  const { promise: escaped, reject: fail } = Promise.withResolvers<never>();
  const result = courses.run({ fail }, work);
  // Both may fail, and only one failure is reported.
  result.catch(() => undefined);
  escaped.catch(() => undefined);
  return Promise.race([result, escaped]);
}

/** Keeps escaped faults from ending the process. Only a fault that belongs to no request ends it. */
export function containFaults(): void {
  // Whoever read the log may leave (`npm start 2>&1 | head`): what cannot be said is not said, least of all about that.
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
