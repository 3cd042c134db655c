import { classifyError } from './classify.ts';
import type { FaultKind } from './fault-rule.ts';
import { statedError } from './stated-error.ts';

interface JobAnswer {
  status: number;
  text: string;
}

/** Returns the kind of error in an answer, by its message and status. MiniMax states errors with status 200. */
export function faultIn({ status, text }: JobAnswer, providerId: string): FaultKind {
  return classifyError(statedError(text), { providerId, httpStatus: status >= 400 ? status : undefined }).fault;
}

/**
 * Returns whether an answer about a running job refuses the operator's account. A 404 does not count, because it may
 * come from a proxy.
 */
export function blamesOperator(answer: JobAnswer, providerId: string): boolean {
  return answer.status !== 404 && faultIn(answer, providerId) === 'operator';
}
