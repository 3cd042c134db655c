import { DAY_MS } from '../../money/periods.ts';
import { conflict, GatewayError, notFound } from '../../platform/errors.ts';
import { FILES_KEPT_DAYS } from '../../route.ts';
import type { ProviderJob } from '../../store/generations/provider-jobs.ts';
import { isEnded } from '../jobs/end.ts';
import { fileKey } from '../jobs/objects.ts';

/**
 * Returns the bucket key of a video's file.
 * @throws {GatewayError} 409 while the video is not finished, 410 if its files have expired, 404 if there is no such
 *   file
 */
export function keyOfFile(job: ProviderJob, index: number, atMs: number): string {
  if (!isEnded(job)) throw conflict('The video is not finished. Poll GET /videos/{id} until its status is completed.');
  if (job.state !== 'completed') throw notFound(`The job has no file, because its state is ${job.state}.`);
  if (index >= job.files.length)
    throw notFound(`The last file of this video has the index ${job.files.length - 1}.`, { field: 'index' });
  if (atMs >= job.endedAtMs! + FILES_KEPT_DAYS * DAY_MS) {
    throw new GatewayError(
      'gone',
      `The files of this video were deleted after ${FILES_KEPT_DAYS} days. Send a new request.`,
    );
  }
  return fileKey(job, index);
}
