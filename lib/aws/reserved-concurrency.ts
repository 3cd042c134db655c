/** Concurrent executions that workers reserve. Client requests cannot use them. */

import { queueWorkers, scheduledWorkers } from '../../lambdas/routes.ts';

/** Executions that each scheduled worker reserves: a run may overlap the next run. */
export const RUNS_AT_ONCE = 2;

/** Executions that Lambda requires an account to leave unreserved. */
const UNRESERVED_AT_LEAST = 100;

const ofQueues = Object.values(queueWorkers).reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
const reservedByWorkers = ofQueues + Object.keys(scheduledWorkers).length * RUNS_AT_ONCE;

const NEEDED_TO_RESERVE = UNRESERVED_AT_LEAST + reservedByWorkers;

interface ConcurrencySettings {
  reserveWorkers?: boolean | undefined;
  concurrency?: number | undefined;
}

/** Returns the operator's setting, or else whether the account has enough concurrency. */
export function reservesConcurrency({ reserveWorkers, concurrency = 0 }: ConcurrencySettings): boolean {
  return reserveWorkers ?? concurrency >= NEEDED_TO_RESERVE;
}

/** Returns the reason why workers cannot reserve concurrency although the operator has enabled it; else undefined. */
export function objectionToReserving({ reserveWorkers, concurrency }: ConcurrencySettings): string | undefined {
  if (!reserveWorkers) return undefined;
  if (concurrency === undefined) {
    return 'requires gateway:concurrency: set it to the output of `aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions`';
  }
  if (concurrency >= NEEDED_TO_RESERVE) return undefined;
  return `requires gateway:concurrency to be at least ${NEEDED_TO_RESERVE}: workers reserve ${reservedByWorkers}, and Lambda keeps ${UNRESERVED_AT_LEAST} for other functions`;
}
