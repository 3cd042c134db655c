import { classifyError } from './classify.ts';
import { statedError } from './stated-error.ts';

/**
 * Returns whether an answer about a running job refuses the operator's account, by its status or message. MiniMax states
 * such errors with status 200. A 404 does not count, because it may come from a proxy.
 */
export function blamesOperator({ status, text }: { status: number; text: string }, providerId: string): boolean {
  const httpStatus = status >= 400 ? status : undefined;
  return status !== 404 && classifyError(statedError(text), { providerId, httpStatus }).fault === 'operator';
}
