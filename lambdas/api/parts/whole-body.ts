/**
 * Spaces keep the connection open until an answer is complete, which may take minutes. API Gateway and Node's `fetch`
 * close a silent connection after five minutes, and Azure's load balancers after four. The client would then pay for an
 * answer that it never received.
 */

import type { WhenSilent, WriteAnswer } from '../../http/answer-stream.ts';
import { positiveIntegerVariable, variables } from '../../platform/environment.ts';
import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';

/**
 * Default time in ms for which a response may be silent. It is long enough that nearly all answers and failures have
 * their own HTTP status. For a proxy with a shorter timeout, the operator sets a lower value.
 */
const DEFAULT_SILENCE_MS = 210_000;

/** Returns the time in ms for which a non-streaming response may be silent. */
export function wholeAnswerSilenceMs(): number {
  return positiveIntegerVariable(variables.wholeAnswerSilenceMs, DEFAULT_SILENCE_MS);
}

export const blanks: WhenSilent = { chunk: ' ', afterMs: 10_000 };

/** Whether an answer or its failure arrives within this time. */
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
 * Writes a space at once, and the answer when it is complete.
 *
 * Weakness: after the first space, the HTTP status is 200. A failure is then an error envelope with its status in
 * `error.code`.
 */
export function wholeBody(answer: Promise<object>, requestId: string): WriteAnswer {
  const body: Promise<object> = answer.catch((error: unknown) => errorEnvelope(toGatewayError(error), requestId));
  return async (sink) => {
    await sink(blanks.chunk);
    await sink(JSON.stringify(await body));
  };
}
