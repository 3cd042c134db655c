/**
 * Files of videos in the bucket. A request is stored until a provider has accepted it or the job has ended, and a video
 * until it expires.
 */

import { Readable } from 'node:stream';
import { openBucket, type Bucket } from '../../platform/aws/objects.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import type { VideoJob } from '../../store/generations/video-jobs.ts';

let bucket: Bucket | undefined;

/** Returns the bucket for videos, which is opened once per process. */
export function videoBucket(): Bucket {
  return (bucket ??= openBucket());
}

type Of = Pick<VideoJob, 'id' | 'payer'>;

/**
 * Stores a request with its prompt, until a provider has accepted it or the job has ended. The prompt of a video is
 * stored nowhere else.
 */
export async function keepRequest(to: Bucket, job: Of, request: VideoRequest): Promise<void> {
  // Uploads the request in parts of 8 MiB, because a request with pictures may be larger.
  const whole = Readable.from([Buffer.from(JSON.stringify(request))]);
  await to.putStream(requestKey(job), whole, 'application/json');
}

export async function readRequest(from: Bucket, job: Of): Promise<VideoRequest | undefined> {
  const bytes = await from.get(requestKey(job));
  return bytes && (JSON.parse(bytes.toString('utf8')) as VideoRequest);
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
