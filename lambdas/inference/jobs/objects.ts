/**
 * Stores requests and files of jobs in the bucket. All kinds of jobs use the folders of videos, which were the first
 * kind.
 */

import { Readable } from 'node:stream';
import { openBucket, type Bucket } from '../../platform/aws/objects.ts';
import type { ProviderJobRequest } from '../../providers/job-wires.ts';
import type { ProviderJob } from '../../store/generations/provider-jobs.ts';

let bucket: Bucket | undefined;

/** Returns the bucket, which is opened once per process. */
export function jobBucket(): Bucket {
  return (bucket ??= openBucket());
}

type Of = Pick<ProviderJob, 'id' | 'payer'>;

/** Stores a request with its prompt, until a provider has accepted it or the job has ended. */
export async function keepRequest(to: Bucket, job: Of, request: ProviderJobRequest): Promise<void> {
  // Uploads the request in parts, because a request with pictures may be large.
  const whole = Readable.from([Buffer.from(JSON.stringify(request))]);
  await to.putStream(requestKey(job), whole, 'application/json');
}

export async function readRequest(from: Bucket, job: Of): Promise<ProviderJobRequest | undefined> {
  const bytes = await from.get(requestKey(job));
  return bytes && (JSON.parse(bytes.toString('utf8')) as ProviderJobRequest);
}

export async function dropRequest(from: Bucket, job: Of): Promise<void> {
  await from.delete(requestKey(job));
}

export function fileKey({ id, payer }: Of, index: number): string {
  return `videos/${payer.accountId}/${id}/${index}`;
}

function requestKey({ id, payer }: Of): string {
  return `video-requests/${payer.accountId}/${id}`;
}
