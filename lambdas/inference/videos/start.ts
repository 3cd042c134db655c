/**
 * Admits a video: holds the whole price, stores the request and its job, and sends a message to a worker. This code
 * sends nothing to a provider.
 */

import { releaseUnknown } from '../../accounting/release.ts';
import { planSpending, type SpendingPlan } from '../../admission/spending-plan.ts';
import type { Pricing } from '../../catalog/schema.ts';
import { nowMs } from '../../platform/clock.ts';
import type { Bucket } from '../../platform/aws/objects.ts';
import type { QueueSender } from '../../platform/queues/queue.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { VideoCandidate } from '../../routing/video-candidates.ts';
import type { Table } from '../../store/table/table.ts';
import type { Write } from '../../store/table/writes.ts';
import { changeVideoJob, newVideoJob, putVideoJob, type VideoJob } from '../../store/generations/video-jobs.ts';
import { holdOrThrow, type HoldInput, type HoldTerms, type HoldTools } from '../hold-inference.ts';
import { VIDEO_DEADLINE_MS } from './advance.ts';
import { encodeVideoMessage } from './message.ts';
import { dropRequest, keepRequest } from './objects.ts';
import { pricingOf } from './settings.ts';

/** Time in ms from a job's deadline until the sweep passes an unsettled video to the worker of video jobs again. */
const SWEPT_AFTER_DEADLINE_MS = 10 * 60_000;

export interface VideoStart extends HoldInput {
  candidates: VideoCandidate[];
  request: VideoRequest;
  baseUrl: string;
  callbackUrl: string | undefined;
  /** Returns the write that stores the answer for a repeated request, or undefined without an `Idempotency-Key`. */
  keptAnswer: (job: VideoJob) => Write | undefined;
}

export interface StartTools extends HoldTools {
  bucket: Bucket;
  jobs: QueueSender;
}

/**
 * Admits a video and queues its job.
 * @throws {GatewayError} if the video is not admitted; after any error, the hold is released, at the latest by the
 *   sweep (workers/sweep-holds)
 */
export async function startVideo(tools: StartTools, start: VideoStart): Promise<VideoJob> {
  const { table } = tools;
  const { generation } = await holdOrThrow(tools, start, videoTerms(start));
  const job = jobOf(start, generation.createdAtMs);
  try {
    await keepRequest(tools.bucket, job, start.request);
    await putVideoJob(table, job, start.keptAnswer(job));
    await tools.jobs.send(encodeVideoMessage({ accountId: job.payer.accountId, id: job.id }));
    return job;
  } catch (error) {
    // The worker may get the message despite the error. It then finds that nothing is held, and sends nothing.
    await releaseUnknown(table, generation);
    await dropRequest(tools.bucket, job).catch(() => undefined);
    await failWithoutMessage(table, job).catch(() => undefined);
    throw error;
  }
}

/**
 * Ends a job that has no message in the queue. The response may already be stored for repeated requests
 * (`Idempotency-Key`), so their clients poll this job and get the error.
 */
async function failWithoutMessage(table: Table, job: VideoJob): Promise<void> {
  const error =
    'The gateway could not start this video. Nothing is charged. Send the request again with a new Idempotency-Key.';
  await changeVideoJob(table, job, { state: 'failed', endedAtMs: nowMs(), error, isCalledBack: true });
}

/** Returns the terms of a video's hold, which covers the whole price. */
export function videoTerms({ candidates: [first], request }: Pick<VideoStart, 'candidates' | 'request'>): HoldTerms {
  const pricing = pricingOf(first!.model, request);
  return {
    apiType: 'video',
    streamed: false,
    prompt: { inputTokens: 0 },
    candidate: { ...first!, pricing },
    plan: videoPlan(pricing, request),
    sweptAfterMs: VIDEO_DEADLINE_MS + SWEPT_AFTER_DEADLINE_MS,
  };
}

/** Returns the candidates of a job in the order of attempts: only the first if the client has disabled fallbacks. */
export function requestedVideo(candidates: readonly VideoCandidate[], onExcluded?: OnExcluded): VideoCandidate[] {
  const [first, ...others] = candidates as [VideoCandidate, ...VideoCandidate[]];
  if (!first.isOnlyFirst) return [first, ...others];
  for (const other of others) onExcluded?.(other, 'no_fallbacks');
  return [first];
}

/** Returns the plan of a video's cost. The price depends only on the seconds and the resolution, so it is exact. */
function videoPlan(pricing: Pricing, { durationSeconds }: VideoRequest): SpendingPlan {
  const bound = { promptTokens: 0, outputTokens: 0, cacheWrites: 'none', videoSeconds: durationSeconds } as const;
  return planSpending([{ pricing, bound, hiddenReasoningTokens: 0, beyondMaxTokens: 0 }], 0);
}

function jobOf({ generationId, caller, candidates, request, ...start }: VideoStart, createdAtMs: number): VideoJob {
  const [first] = candidates as [VideoCandidate];
  return newVideoJob({
    id: generationId,
    payer: caller.payer,
    model: first.model.id,
    durationSeconds: request.durationSeconds,
    resolution: request.resolution,
    aspectRatio: request.aspectRatio,
    createdAtMs,
    deadlineAtMs: createdAtMs + VIDEO_DEADLINE_MS,
    endpoints: requestedVideo(candidates).map(({ endpoint }) => ({
      endpointId: endpoint.id,
      providerName: endpoint.provider.name,
    })),
    baseUrl: start.baseUrl,
    callbackUrl: start.callbackUrl,
  });
}
