import type { Bucket } from '../../platform/aws/objects.ts';
import type { QueueSender } from '../../platform/queues/queue.ts';
import type { VideoCandidate } from '../../routing/video-candidates.ts';
import type { Table } from '../../store/table/table.ts';

/** What going on with a job needs. */
export interface VideoTools {
  table: Table;
  bucket: Bucket;
  /** Of jobs that are to be gone on with. */
  jobs: QueueSender;
  settlements: QueueSender;
  /** Undefined where the endpoint cannot be asked any more. */
  candidateOf: (modelId: string, endpointId: string) => Promise<VideoCandidate | undefined>;
  /** Told what became of asking an endpoint. */
  onResult: (endpointId: string, result: 'ok' | 'failed') => void;
  nowMs: () => number;
  /** Until the function is stopped. */
  remainingMs: () => number;
}

/** When a job is to be gone on with; undefined where it is over. */
export type Next = { afterSeconds: number } | undefined;

/** 2, 4, 8, 16 and then 30 seconds. @param times how often it was tried before */
export function backOffSeconds(times: number): number {
  return Math.min(30, 2 ** (Math.min(times, 5) + 1));
}
