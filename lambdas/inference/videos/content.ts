import { DAY_MS } from '../../money/periods.ts';
import { conflict, GatewayError, notFound } from '../../platform/errors.ts';
import { FILES_KEPT_DAYS } from '../../routes.ts';
import type { VideoJob } from '../../store/generations/video-jobs.ts';
import { isEnded } from './end.ts';
import { fileKey } from './objects.ts';

/**
 * Returns the bucket key of a video's file.
 * @throws {GatewayError} 409 while the video is not finished, 410 if its files have expired, 404 if the file does not
 *   exist
 */
export function keyOfFile(job: VideoJob, index: number, atMs: number): string {
  if (!isEnded(job)) throw conflict('The video is not finished. Poll GET /videos/{id} until its status is completed.');
  if (job.state !== 'completed') throw notFound(`The job has no file, because its state is ${job.state}.`);
  if (index >= job.files.length)
    throw notFound(`The video has ${job.files.length} files, numbered from 0.`, { field: 'index' });
  if (atMs >= job.endedAtMs! + FILES_KEPT_DAYS * DAY_MS) {
    throw new GatewayError(
      'gone',
      `The files of this video were deleted after ${FILES_KEPT_DAYS} days. Send a new request.`,
    );
  }
  return fileKey(job, index);
}
