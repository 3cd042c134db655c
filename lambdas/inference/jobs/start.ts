/** Holds the whole price of a job, stores its request, and sends a message to a worker. */

import { releaseUnknown } from '../../accounting/release.ts';
import { nowMs } from '../../platform/clock.ts';
import type { Bucket } from '../../platform/aws/objects.ts';
import type { QueueSender } from '../../platform/queues/queue.ts';
import type { ProviderJobRequest } from '../../providers/job-wires.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { JobCandidate } from '../../routing/job-candidates.ts';
import type { Write } from '../../store/table/writes.ts';
import { changeJob, newJob, putJob, type ProviderJob } from '../../store/generations/provider-jobs.ts';
import { holdOrThrow, type HoldInput, type HoldTerms, type HoldTools } from '../hold-inference.ts';
import { JOB_DEADLINE_MS } from './advance.ts';
import type { JobKind } from './job-kind.ts';
import { encodeJobMessage } from './message.ts';
import { dropRequest, keepRequest } from './objects.ts';

const SWEPT_AFTER_DEADLINE_MS = 10 * 60_000;
/** Time in ms from the admission of a job until the sweep passes it to its worker again, if it is unsettled. */
export const JOB_SWEPT_AFTER_MS = JOB_DEADLINE_MS + SWEPT_AFTER_DEADLINE_MS;

export interface JobStart extends HoldInput {
  candidates: JobCandidate[];
  request: ProviderJobRequest;
  /** Terms of the hold, which covers the whole price. */
  terms: HoldTerms;
  baseUrl: string;
  callbackUrl: string | undefined;
  /** Returns the write that stores the answer for a repeated request, or undefined without an `Idempotency-Key`. */
  keptAnswer: (job: ProviderJob) => Write | undefined;
}

export interface StartTools extends HoldTools {
  kind: JobKind;
  bucket: Bucket;
  jobs: QueueSender;
}

/**
 * Starts a job.
 * @throws {GatewayError} if the job is not admitted; after any error, the hold is released, at the latest by the sweep
 *   (workers/sweep-holds)
 */
export async function startJob(tools: StartTools, start: JobStart): Promise<ProviderJob> {
  const { table } = tools;
  const { generation } = await holdOrThrow(tools, start, start.terms);
  const job = jobOf(start, generation.createdAtMs);
  try {
    await keepRequest(tools.bucket, job, start.request);
    await putJob(table, job, start.keptAnswer(job));
    await tools.jobs.send(encodeJobMessage({ accountId: job.payer.accountId, id: job.id }));
    return job;
  } catch (error) {
    // The worker may get the message despite the error. It then finds that nothing is held, and sends nothing.
    await releaseUnknown(table, generation);
    await dropRequest(tools.bucket, job).catch(() => undefined);
    await failWithoutMessage(tools, job).catch(() => undefined);
    throw error;
  }
}

/**
 * Ends a job that could not be started. The response may already be stored for repeated requests (`Idempotency-Key`).
 * Their clients then poll this job and get the error.
 */
async function failWithoutMessage({ kind, table }: StartTools, job: ProviderJob): Promise<void> {
  const error = `The gateway could not start this ${kind.noun}. Nothing is charged. Send the request again with a new Idempotency-Key.`;
  await changeJob(table, job, { state: 'failed', endedAtMs: nowMs(), error, isCalledBack: true });
}

/** Returns the candidates that may get the job: only the first if the client has disabled fallbacks. */
export function requestedCandidates(candidates: readonly JobCandidate[], onExcluded?: OnExcluded): JobCandidate[] {
  const [first, ...others] = candidates as [JobCandidate, ...JobCandidate[]];
  if (!first.isOnlyFirst) return [first, ...others];
  for (const other of others) onExcluded?.(other, 'no_fallbacks');
  return [first];
}

function jobOf({ generationId, caller, candidates, request, ...start }: JobStart, createdAtMs: number): ProviderJob {
  const [first] = candidates as [JobCandidate];
  return newJob({
    id: generationId,
    payer: caller.payer,
    model: first.model.id,
    durationSeconds: request.durationSeconds,
    resolution: request.resolution,
    aspectRatio: request.aspectRatio,
    createdAtMs,
    deadlineAtMs: createdAtMs + JOB_DEADLINE_MS,
    endpoints: requestedCandidates(candidates).map(({ endpoint }) => ({
      endpointId: endpoint.id,
      providerName: endpoint.provider.name,
    })),
    baseUrl: start.baseUrl,
    callbackUrl: start.callbackUrl,
  });
}
