import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import type { Generation } from '../../store/generations/generation.ts';
import type { VideoJob } from '../../store/generations/video-jobs.ts';
import { isEnded } from '../../inference/videos/end.ts';
import { videoView } from '../../inference/videos/view.ts';
import { videoId } from './fields.ts';
import type { VideoAnswer } from './shape.ts';
import { visibleVideo } from './visible.ts';

export const accepts = { params: z.object({ id: videoId }) };

/** Reads only the table. Polling never causes a request to the provider. */
export const handler = defineEndpoint('get-video', accepts, async ({ params: { id }, caller }) => {
  const { job, generation } = await visibleVideo(id, caller);
  const cost = generation.state === 'final' ? generation.outcome?.cost : undefined;
  return jsonResponse<VideoAnswer>(200, videoView(asItStands(job, generation), cost));
});

/** If a request failed after its job was stored, its generation is over, and nothing will continue the job. */
function asItStands(job: VideoJob, { state }: Generation): VideoJob {
  if (state === 'pending' || isEnded(job)) return job;
  return { ...job, state: 'failed', error: 'The request was given up.' };
}
