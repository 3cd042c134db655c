import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import type { Generation } from '../../store/generations/generation.ts';
import type { ProviderJob } from '../../store/generations/provider-jobs.ts';
import { isEnded } from '../../inference/jobs/end.ts';
import { videoView } from '../../inference/videos/view.ts';
import { videoId } from './fields.ts';
import type { VideoAnswer } from './shape.ts';
import { visibleVideo } from './visible.ts';

export const accepts = { params: z.object({ id: videoId }) };

/** Returns a job from the table. Polling never causes a request to the provider. */
export const handler = defineEndpoint('get-video', accepts, async ({ params: { id }, caller }) => {
  const { job, generation } = await visibleVideo(id, caller);
  const cost = generation.state === 'final' ? generation.outcome?.cost : undefined;
  return jsonResponse<VideoAnswer>(200, videoView(asItStands(job, generation), cost));
});

/**
 * Returns the job as failed if its generation has already ended: if a request fails after its job was stored, no worker
 * continues the job.
 */
function asItStands(job: ProviderJob, { state }: Generation): ProviderJob {
  if (state === 'pending' || isEnded(job)) return job;
  return { ...job, state: 'failed', error: 'The request was cancelled.' };
}
