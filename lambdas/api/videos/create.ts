import { claimOf } from '../../admission/request-claim.ts';
import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { jobBucket } from '../../inference/jobs/objects.ts';
import { videoJobs } from '../../inference/videos/kind.ts';
import { videoRequestSchema } from '../../inference/videos/request.ts';
import { routeVideo } from '../../inference/videos/routed-video.ts';
import { startJob } from '../../inference/jobs/start.ts';
import { videoTerms } from '../../inference/videos/terms.ts';
import { videoView } from '../../inference/videos/view.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import type { ProviderJob } from '../../store/generations/provider-jobs.ts';
import type { VideoAnswer } from './shape.ts';

export const accepts = { once: answerOnce, body: videoRequestSchema, meanwhile: refreshSignals };

/**
 * Returns 202 as soon as it is certain that the gateway will continue the job. A repeated request with the same
 * Idempotency-Key gets the existing job.
 */
export const handler = defineEndpoint('create-video', accepts, ({ body, caller, request, once, ...input }) =>
  once(async (keep) => {
    const claim = await claimOf(resources.table(), { route: 'create-video', ...request, payer: caller.payer });
    const routed = await routeVideo(body, { caller, clientLeft: input.clientLeft });
    const job = await startJob(startTools(), {
      generationId: input.generationId,
      caller,
      claim,
      ...routed,
      terms: videoTerms(routed),
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
  kind: videoJobs,
  table: resources.table(),
  bucket: jobBucket(),
  jobs: resources.queue('advance-videos'),
  bootId: resources.bootId(),
});

/** Builds the response for a job. The `x-generation-id` header has the job's id, also for a repeated request. */
function videoJobBody(job: ProviderJob) {
  return jsonResponse<VideoAnswer>(202, videoView(job, undefined), { 'x-generation-id': job.id });
}
