import { AsyncLocalStorage } from 'node:async_hooks';
import { describeError, log } from '../../lambdas/platform/logger.ts';

/**
 * Many requests share this process, where AWS gives each function's sandbox one at a time: there an escaped fault ends its
 * own invocation and no other. The same holds here: what escapes everything is logged and fails the request in whose
 * course it was thrown.
 */
interface Course {
  fail: (error: Error) => void;
}

const courses = new AsyncLocalStorage<Course>();

/** @throws what escaped in the course of the work; the work itself goes on, and its own ending is not waited for. */
export function contained<Result>(work: () => Promise<Result>): Promise<Result> {
  const { promise: escaped, reject: fail } = Promise.withResolvers<never>();
  const result = courses.run({ fail }, work);
  // Both may fail, and only one is heard.
  result.catch(() => undefined);
  escaped.catch(() => undefined);
  return Promise.race([result, escaped]);
}

/** Keeps what escapes from ending the process. A fault that belongs to no request is one of the process itself: it ends. */
export function containFaults(): void {
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
