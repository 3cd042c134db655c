import type { Bucket } from '../../platform/aws/objects.ts';
import type { QueueSender } from '../../platform/queues/queue.ts';
import type { JobCandidate } from '../../routing/job-candidates.ts';
import type { Table } from '../../store/table/table.ts';
import type { JobKind } from './job-kind.ts';

export interface JobTools {
  kind: JobKind;
  table: Table;
  bucket: Bucket;
  jobs: QueueSender;
  settlements: QueueSender;
  /** Returns the endpoint with its credentials; undefined if the endpoint can no longer be used. */
  candidateOf: (modelId: string, endpointId: string) => Promise<JobCandidate | undefined>;
  /** Receives the result of a submission to an endpoint. */
  onResult: (endpointId: string, result: 'ok' | 'failed') => void;
  nowMs: () => number;
  remainingMs: () => number;
}

/** Delay in seconds until the next step; undefined if the job is over. */
export type Next = { afterSeconds: number } | undefined;

/** Returns a delay in seconds: 2, 4, 8, 16, and then 30. */
export function backOffSeconds(doublings: number): number {
  return Math.min(30, 2 ** (Math.min(doublings, 5) + 1));
}
