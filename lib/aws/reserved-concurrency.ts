/** Concurrent executions that workers reserve, so that clients cannot take them from settlements. */

import { queueWorkers, scheduledWorkers } from '../../lambdas/routes.ts';

/** A run of a scheduled worker may overlap the next one. */
export const RUNS_AT_ONCE = 2;

/** Lambda rejects reservations that leave fewer executions than this to other functions. */
const UNRESERVED_AT_LEAST = 100;

const ofQueues = Object.values(queueWorkers).reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
const reservedByWorkers = ofQueues + Object.keys(scheduledWorkers).length * RUNS_AT_ONCE;

/** Concurrency that an account needs before workers can reserve theirs. */
const NEEDED_TO_RESERVE = UNRESERVED_AT_LEAST + reservedByWorkers;

interface ConcurrencySettings {
  reserveWorkers?: boolean | undefined;
  concurrency?: number | undefined;
}

/** Whether workers reserve concurrency: the operator's setting, or by default whether the account has enough. */
export function reservesConcurrency({ reserveWorkers, concurrency = 0 }: ConcurrencySettings): boolean {
  return reserveWorkers ?? concurrency >= NEEDED_TO_RESERVE;
}

/** @returns the reason why the workers cannot reserve concurrency although the operator requires it */
export function objectionToReserving({ reserveWorkers, concurrency }: ConcurrencySettings): string | undefined {
  if (!reserveWorkers) return undefined;
  if (concurrency === undefined) {
    return 'requires gateway:concurrency: set it to the output of `aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions`';
  }
  if (concurrency >= NEEDED_TO_RESERVE) return undefined;
  return `requires gateway:concurrency to be at least ${NEEDED_TO_RESERVE}: workers reserve ${reservedByWorkers}, and Lambda keeps ${UNRESERVED_AT_LEAST} for other functions`;
}
