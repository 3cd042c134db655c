/**
 * The body of an answer that does not stream, from a model that takes minutes. Connections that stay silent are cut: by API Gateway and by
 * `fetch` of Node after five minutes, by Azure's load balancers after four. The answer would be paid for, and lost.
 */

import type { WhenSilent } from '../../http/answer-stream.ts';
import { positiveIntegerVariable, variables } from '../../platform/environment.ts';
import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';

/**
 * Below the limits of silence above, and long enough that nearly all answers, and nearly all failures, have a status of their own.
 * An operator whose proxy allows less silence sets less.
 */
const DEFAULT_SILENCE_MS = 210_000;

/** How long an answer in one piece may be silent. */
export function wholeAnswerSilenceMs(): number {
  return positiveIntegerVariable(variables.wholeAnswerSilenceMs, DEFAULT_SILENCE_MS);
}

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
 * JSON may begin with blanks: one goes out at once, which begins the answer, and more while it is waited for.
 * Weakness: from then on the status is 200. A failure is the envelope of an error, with its status in `error.code`.
 */
export async function* wholeBody(answer: Promise<object>, requestId: string): AsyncGenerator<string> {
  try {
    yield blanks.chunk;
    yield JSON.stringify(await answer);
  } catch (error) {
    yield JSON.stringify(errorEnvelope(toGatewayError(error), requestId));
  }
}
