import { z } from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { redirectResponse } from '../../http/response.ts';
import { DAY_MS } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { conflict, GatewayError, notFound } from '../../platform/errors.ts';
import { isEnded } from '../../videos/end.ts';
import { FILES_KEPT_DAYS } from '../../routes.ts';
import { fileKey, videoBucket } from '../../videos/objects.ts';
import { videoId } from './fields.ts';
import { visibleVideo } from './visible.ts';

const LINK_EXPIRES_AFTER_SECONDS = 600;

export const accepts = {
  params: z.object({ id: videoId }),
  query: z.strictObject({
    index: z
      .string()
      .regex(/^\d{1,3}$/, 'must be a whole number from 0 on')
      .default('0')
      .meta({ description: 'Which file of the video; most have one.' }),
  }),
};

/**
 * Sends the client to the bucket, which streams files of any size, in ranges as well, where a function and its front door
 * could not.
 */
export const handler = defineEndpoint('get-video-content', accepts, async ({ params: { id }, query, caller }) => {
  const { job } = await visibleVideo(id, caller);
  if (!isEnded(job)) throw conflict('The video is not finished. Ask GET /videos/{id} until its status is completed.');
  if (job.state !== 'completed') throw notFound(`There is no file: the job is ${job.state}.`);
  const index = Number(query.index);
  if (index >= job.files.length) throw notFound(`The video has ${job.files.length} files.`, { field: 'index' });
  if (nowMs() >= job.endedAtMs! + FILES_KEPT_DAYS * DAY_MS) {
    throw new GatewayError('gone', `Files are kept for ${FILES_KEPT_DAYS} days, and these have been deleted.`);
  }
  return redirectResponse(await videoBucket().link(fileKey(job, index), LINK_EXPIRES_AFTER_SECONDS));
});
