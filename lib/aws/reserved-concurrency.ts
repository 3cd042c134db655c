/** How many executions at once workers keep for themselves, so that clients cannot take them from settlements. */

import { queueWorkers, scheduledWorkers } from '../../lambdas/routes.ts';

/** A run of a scheduled worker may last into the next one. */
export const RUNS_AT_ONCE = 2;

/** Lambda refuses reservations that leave less than this to functions without one. */
const UNRESERVED_AT_LEAST = 100;

const ofQueues = Object.values(queueWorkers).reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
const reservedByWorkers = ofQueues + Object.keys(scheduledWorkers).length * RUNS_AT_ONCE;

/** Executions at once that an account needs so that workers can reserve theirs. */
const NEEDED_TO_RESERVE = UNRESERVED_AT_LEAST + reservedByWorkers;

interface ConcurrencySettings {
  reserveWorkers?: boolean | undefined;
  concurrency?: number | undefined;
}

/** Whether workers reserve their concurrency: as the operator says, or else if the account is known to have enough. */
export function reservesConcurrency({ reserveWorkers, concurrency = 0 }: ConcurrencySettings): boolean {
  return reserveWorkers ?? concurrency >= NEEDED_TO_RESERVE;
}

/** @returns why the workers of this account cannot reserve what the operator wants */
export function objectionToReserving({ reserveWorkers, concurrency }: ConcurrencySettings): string | undefined {
  if (!reserveWorkers) return undefined;
  if (concurrency === undefined) {
    return 'needs gateway:concurrency, which `aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions` prints';
  }
  if (concurrency >= NEEDED_TO_RESERVE) return undefined;
  return `needs gateway:concurrency to be ${NEEDED_TO_RESERVE} or more: workers reserve ${reservedByWorkers}, and Lambda leaves ${UNRESERVED_AT_LEAST} to all others`;
}
