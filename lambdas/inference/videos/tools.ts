import type { Bucket } from '../../platform/aws/objects.ts';
import type { QueueSender } from '../../platform/queues/queue.ts';
import type { VideoCandidate } from '../../routing/video-candidates.ts';
import type { Table } from '../../store/table/table.ts';

/** Dependencies of the code that advances a video job. */
export interface VideoTools {
  table: Table;
  bucket: Bucket;
  /** Queue of jobs to advance. */
  jobs: QueueSender;
  settlements: QueueSender;
  /** Returns the endpoint of a job, or undefined if the endpoint can no longer be used. */
  candidateOf: (modelId: string, endpointId: string) => Promise<VideoCandidate | undefined>;
  /** Receives the result of a request to an endpoint. */
  onResult: (endpointId: string, result: 'ok' | 'failed') => void;
  nowMs: () => number;
  remainingMs: () => number;
}

/** Delay until the next step of a job; undefined if the job is over. */
export type Next = { afterSeconds: number } | undefined;

/**
 * Returns a delay before another attempt in seconds: 2, 4, 8, 16, and then 30 each time.
 * @param doublings number of times that the delay of 2 seconds is doubled
 */
export function backOffSeconds(doublings: number): number {
  return Math.min(30, 2 ** (Math.min(doublings, 5) + 1));
}
