import { claimOf } from '../../admission/request-claim.ts';
import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { videoBucket } from '../../inference/videos/objects.ts';
import { videoRequestSchema } from '../../inference/videos/request.ts';
import { routeVideo } from '../../inference/videos/routed-video.ts';
import { startVideo } from '../../inference/videos/start.ts';
import { videoView } from '../../inference/videos/view.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import type { VideoJob } from '../../store/generations/video-jobs.ts';
import type { VideoAnswer } from './shape.ts';

export const accepts = { once: answerOnce, body: videoRequestSchema, meanwhile: refreshSignals };

/**
 * Returns 202 as soon as it is certain that the gateway will continue the job; GET /videos/{id} returns the job's
 * progress. Because an accidental second video is expensive, a repeated request with the same Idempotency-Key gets the
 * existing job. The transaction that places the hold also claims the key, so only one of several concurrent requests
 * holds money.
 */
export const handler = defineEndpoint('create-video', accepts, ({ body, caller, request, once, ...input }) =>
  once(async (keep) => {
    const claim = await claimOf(resources.table(), { route: 'create-video', ...request, payer: caller.payer });
    const routed = await routeVideo(body, { caller, clientLeft: input.clientLeft });
    const job = await startVideo(startTools(), {
      generationId: input.generationId,
      caller,
      claim,
      ...routed,
      baseUrl: request.baseUrl,
      callbackUrl: body.callback_url ?? undefined,
      receivedAtMs: request.receivedAtMs,
      clientLeft: input.clientLeft,
      keptAnswer: (made) => keep(videoJobBody(made)),
    });
    return videoJobBody(job);
  }),
);

const startTools = () => ({
  table: resources.table(),
  bucket: videoBucket(),
  jobs: resources.queue('advance-videos'),
  bootId: resources.bootId(),
});

/** Builds the response for a job. The `x-generation-id` header has the job's id, also for a repeated request. */
function videoJobBody(job: VideoJob) {
  return jsonResponse<VideoAnswer>(202, videoView(job, undefined), { 'x-generation-id': job.id });
}
