/**
 * The body of an answer that does not stream, of a model that takes its time. API Gateway gives up a connection that was
 * silent for five minutes, and so do clients; the answer would be paid for, and lost.
 */

import type { WhenSilent } from '../../http/answer-stream.ts';
import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';

/** Long enough that nearly all answers, and nearly all failures, have a status of their own. */
export const COMMIT_AFTER_MS = 60_000;
export const blanks: WhenSilent = { chunk: ' ', afterMs: 10_000 };

/** @returns whether an answer, or its failure, is there within this time */
export function isThereWithin(answer: Promise<unknown>, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    const isThere = () => {
      clearTimeout(timer);
      resolve(true);
    };
    answer.then(isThere, isThere);
  });
}

/**
 * JSON may begin with blanks: one goes out at once, which begins the answer, and more while it is waited for. A failure has
 * no status any more; it is the envelope of an error in the place of the answer.
 */
export async function* wholeBody(answer: Promise<object>, requestId: string): AsyncGenerator<string> {
  try {
    yield blanks.chunk;
    yield JSON.stringify(await answer);
  } catch (error) {
    yield JSON.stringify(errorEnvelope(toGatewayError(error), requestId));
  }
}
