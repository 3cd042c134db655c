/**
 * Concurrent executions that workers reserve. Requests of clients cannot use them, so settlements always have
 * executions.
 */

import { queueWorkers, scheduledWorkers } from '../../lambdas/routes.ts';

/** Concurrent executions that a scheduled worker reserves, because a run may overlap the next run. */
export const RUNS_AT_ONCE = 2;

/** Number of executions that Lambda requires an account to leave unreserved. */
const UNRESERVED_AT_LEAST = 100;

const ofQueues = Object.values(queueWorkers).reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
const reservedByWorkers = ofQueues + Object.keys(scheduledWorkers).length * RUNS_AT_ONCE;

/** Concurrency that an account needs before workers can reserve theirs. */
const NEEDED_TO_RESERVE = UNRESERVED_AT_LEAST + reservedByWorkers;

interface ConcurrencySettings {
  reserveWorkers?: boolean | undefined;
  concurrency?: number | undefined;
}

/** Whether workers reserve concurrency. If the operator has not set this, they do if the account has enough. */
export function reservesConcurrency({ reserveWorkers, concurrency = 0 }: ConcurrencySettings): boolean {
  return reserveWorkers ?? concurrency >= NEEDED_TO_RESERVE;
}

/**
 * Returns the reason why the workers cannot reserve concurrency although the operator requires it; undefined if they
 * can.
 */
export function objectionToReserving({ reserveWorkers, concurrency }: ConcurrencySettings): string | undefined {
  if (!reserveWorkers) return undefined;
  if (concurrency === undefined) {
    return 'requires gateway:concurrency: set it to the output of `aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions`';
  }
  if (concurrency >= NEEDED_TO_RESERVE) return undefined;
  return `requires gateway:concurrency to be at least ${NEEDED_TO_RESERVE}: workers reserve ${reservedByWorkers}, and Lambda keeps ${UNRESERVED_AT_LEAST} for other functions`;
}
