/**
 * Ends a job. The job's end is written first. Everything after it can be repeated: a generation is settled only
 * once, and a callback has the same id each time.
 */

import { reportSettlement } from '../../accounting/report.ts';
import { Money } from '../../money/money.ts';
import { log } from '../../platform/logger.ts';
import { readPepper } from '../../platform/secrets/secrets.ts';
import { isOnOwnMachine } from '../../platform/environment.ts';
import { readGeneration } from '../../store/generations/generation-queries.ts';
import type { Generation } from '../../store/generations/generation.ts';
import { emptyOutcome, type Ending, type Outcome } from '../../store/generations/outcome.ts';
import {
  changeJob,
  endStates,
  type EndState,
  type JobChange,
  type ProviderJob,
} from '../../store/generations/provider-jobs.ts';
import { sendCallback } from './customer-webhook.ts';
import { dropRequest } from './objects.ts';
import type { Next, JobTools } from './tools.ts';

const MAX_CALLBACKS = 8;
/** Returns the pause in seconds after a failed callback. The maximum is the maximum delay of an SQS message. */
const callbackDelaySeconds = (tries: number) => Math.min(900, 5 * 2 ** tries);

export type EndedJob = ProviderJob & { state: EndState };

export function isEnded(job: ProviderJob): job is EndedJob {
  return (endStates as readonly string[]).includes(job.state);
}

/**
 * Records the end of a job, and then does the remaining work.
 * @throws {JobMovedError} if another worker has changed the job
 */
export async function endJob(
  tools: JobTools,
  job: ProviderJob,
  state: EndState,
  what: Pick<JobChange, 'error' | 'files' | 'failedAttempts' | 'providerStatus'>,
): Promise<Next> {
  const atMs = tools.nowMs();
  const ended = (await changeJob(tools.table, job, {
    ...what,
    state,
    endedAtMs: atMs,
    nextAtMs: atMs,
  })) as EndedJob;
  return finishJob(tools, ended);
}

/** Does the remaining work of an ended job: settlement, deletion of the stored request, callback. */
export async function finishJob(tools: JobTools, job: EndedJob): Promise<Next> {
  const generation = await readGeneration(tools.table, job.payer.accountId, job.id);
  const outcome = generation && jobOutcome(tools, job, generation);
  if (generation?.state === 'pending') {
    const { id: generationId, payer, hold } = generation;
    await reportSettlement(tools.table, tools.settlements, { generationId, payer, hold, outcome: outcome! });
  }
  await dropRequest(tools.bucket, job);
  if (!job.callbackUrl || job.isCalledBack) return undefined;
  return callBack(tools, job, outcome?.cost ?? Money.zero);
}

async function callBack(tools: JobTools, job: EndedJob, cost: Money): Promise<Next> {
  const { kind } = tools;
  const callback = {
    url: job.callbackUrl!,
    accountId: job.payer.accountId,
    noun: kind.noun,
    job: { ...kind.viewOf(job, cost), id: job.id, status: job.state, generation_id: job.id, model: job.model },
    endedAtMs: job.endedAtMs!,
  };
  const sent = await sendCallback(callback, await readPepper(), tools.nowMs(), { allowLoopback: isOnOwnMachine() });
  const callbacks = job.callbacks + 1;
  const isCalledBack = sent.outcome !== 'failed' || callbacks >= MAX_CALLBACKS;
  if (sent.outcome !== 'delivered') {
    const fields = { worker: 'advance-videos', generationId: job.id, attempt: callbacks, reason: sent.reason };
    log(isCalledBack ? 'warn' : 'info', 'callback not delivered', fields);
  }
  const afterSeconds = callbackDelaySeconds(job.callbacks);
  const nextAtMs = tools.nowMs() + (isCalledBack ? 0 : afterSeconds * 1_000);
  await changeJob(tools.table, job, { callbacks, isCalledBack, nextAtMs });
  return isCalledBack ? undefined : { afterSeconds };
}

const finishReasons: Record<EndState, string> = {
  completed: 'completed',
  failed: 'error',
  cancelled: 'cancelled',
  expired: 'error',
};

function jobEnding({ state, submittedAtMs }: EndedJob): Ending {
  if (state === 'completed') return 'complete';
  if (state === 'expired') return 'out_of_time';
  return submittedAtMs === undefined ? 'refused_before' : 'broke_off';
}

/** A completed job costs its hold, which equals its price. A job with any other end costs nothing. */
function jobOutcome({ kind }: JobTools, job: EndedJob, generation: Generation): Outcome {
  const { model, modelPermaslug } = generation;
  const isCompleted = job.state === 'completed';
  return {
    ...emptyOutcome({ model, modelPermaslug, ...job.endpoints[job.endpointIndex]! }, jobEnding(job)),
    cost: isCompleted ? generation.hold.amount : Money.zero,
    ...(isCompleted ? { ...kind.unitsOf(job), completionMedia: job.files.length } : {}),
    cancelled: job.state === 'cancelled' || job.state === 'expired',
    finishReason: finishReasons[job.state],
    failedAttempts: job.failedAttempts,
    providerStatus: job.providerStatus ?? null,
    ...timesOf(job),
    latencyMs: job.submittedAtMs === undefined ? null : job.submittedAtMs - job.createdAtMs,
    generationTimeMs: job.submittedAtMs === undefined ? null : job.endedAtMs! - job.submittedAtMs,
  };
}

/** The provider's time begins at the first request to a provider, and includes the fetch of the files. */
function timesOf({ createdAtMs, requestedAtMs, endedAtMs }: EndedJob): Pick<Outcome, 'overheadMs' | 'providerMs'> {
  if (requestedAtMs === undefined) return { overheadMs: null, providerMs: null };
  return { overheadMs: Math.max(0, requestedAtMs - createdAtMs), providerMs: Math.max(0, endedAtMs! - requestedAtMs) };
}
