import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { redirectResponse } from '../../http/response.ts';
import { nowMs } from '../../platform/clock.ts';
import { keyOfFile } from '../../inference/videos/content.ts';
import { jobBucket } from '../../inference/jobs/objects.ts';
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
      .meta({ description: 'The number of the file, from 0; most videos have one file.' }),
  }),
};

/**
 * Redirects to the bucket, which serves files of any size, and byte ranges. A function behind API Gateway cannot do
 * this.
 */
export const handler = defineEndpoint('get-video-content', accepts, async ({ params: { id }, query, caller }) => {
  const { job } = await visibleVideo(id, caller);
  const key = keyOfFile(job, Number(query.index), nowMs());
  return redirectResponse(await jobBucket().link(key, LINK_EXPIRES_AFTER_SECONDS));
});
