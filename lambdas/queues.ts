import type { QueueName } from './routes.ts';

/** How a queue treats its messages; as much data as the manifest of functions. */
export interface QueueSpec {
  /**
   * At least six times the worker's timeout, so that a slow batch is not handed out twice. A message that failed by itself
   * does not wait for it: its worker has it come again in seconds.
   */
  visibilityTimeoutSeconds: number;
  maxReceiveCount: number;
  /** When the oldest message is so old, something is wrong with the worker. */
  lateAfterSeconds: number;
}

export const queues: Record<QueueName, QueueSpec> = {
  // Thirty attempts are about fifty minutes.
  'finalize-cost': { visibilityTimeoutSeconds: 120, maxReceiveCount: 30, lateAfterSeconds: 120 },
  // All accounts ask at midnight: some minutes of waiting are no sign of trouble.
  'roll-up-activity': { visibilityTimeoutSeconds: 720, maxReceiveCount: 12, lateAfterSeconds: 900 },
};
