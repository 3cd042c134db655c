/**
 * Advances a job by one step. Between steps a message waits in the queue.
 *
 * Guarantee: a step may crash at any point, and is repeated when its message is delivered again. An early message sends
 * nothing to a provider, unless it is a provider's notice. A step does not change a job that another step has changed.
 */

import { emptyOutcome } from '../../store/generations/outcome.ts';
import { readGeneration } from '../../store/generations/generation-queries.ts';
import { readJob, JobMovedError, type ProviderJob } from '../../store/generations/provider-jobs.ts';
import { reportSettlement } from '../../accounting/report.ts';
import { endJob, finishJob, isEnded } from './end.ts';
import { pollJob } from './poll.ts';
import { encodeJobMessage, type JobMessage } from './message.ts';
import { submitJob } from './submit.ts';
import type { Next, JobTools } from './tools.ts';

/** Time in ms from the admission of a request until its job expires. */
export const JOB_DEADLINE_MS = 2 * 3_600_000;
/** Maximum delay of an SQS message in seconds. */
const MAX_STEP_DELAY_SECONDS = 900;

const OVERTAKEN_SECONDS = 2;

export async function advanceJob(tools: JobTools, message: JobMessage): Promise<void> {
  const job = await readJob(tools.table, message.accountId, message.id);
  if (!job) return releaseWithoutJob(tools, message);
  const next = await step(tools, job, message).catch((error: unknown): Next => {
    // Another worker has changed the job. If it handled a notice, it sends no further message, so this message is
    // queued again.
    if (error instanceof JobMovedError) return { afterSeconds: OVERTAKEN_SECONDS };
    throw error;
  });
  // A notice is an additional message, so the job's own message is still in the queue.
  if (!next || message.isNotice) return;
  const delaySeconds = Math.min(MAX_STEP_DELAY_SECONDS, next.afterSeconds);
  await tools.jobs.send(encodeJobMessage(message), { delaySeconds });
}

async function step(tools: JobTools, job: ProviderJob, { isNotice = false }: JobMessage): Promise<Next> {
  const atMs = tools.nowMs();
  if (isEnded(job)) return isEarly(job, atMs) ? later(job, atMs) : finishJob(tools, job);
  if (atMs >= job.deadlineAtMs) {
    return endJob(tools, job, 'expired', {
      error: `The provider did not finish the ${tools.kind.noun} in time. Nothing is charged. Send a new request.`,
    });
  }
  if (isEarly(job, atMs) && !(isNotice && mayBePolled(job, atMs))) return later(job, atMs);
  return job.state === 'pending' ? submitJob(tools, job) : pollJob(tools, job);
}

/** Time in ms by which a message may arrive early, because clocks differ. */
const EARLY_MS = 500;

/** Minimum interval in ms between polls of a provider, even if notices arrive. */
const MIN_POLL_INTERVAL_MS = 2_000;

function mayBePolled({ state, polledAtMs, submittedAtMs }: ProviderJob, atMs: number): boolean {
  if (state !== 'submitted' || submittedAtMs === undefined) return false;
  return polledAtMs === undefined || atMs - polledAtMs >= MIN_POLL_INTERVAL_MS;
}

const isEarly = ({ nextAtMs }: ProviderJob, atMs: number) => atMs < nextAtMs - EARLY_MS;
const later = ({ nextAtMs }: ProviderJob, atMs: number): Next => ({
  afterSeconds: Math.ceil((nextAtMs - atMs) / 1_000),
});

/** Settles a request without a charge if it has a hold but no job. Nothing was sent to a provider. */
async function releaseWithoutJob({ table, settlements }: JobTools, { accountId, id }: JobMessage): Promise<void> {
  const generation = await readGeneration(table, accountId, id);
  if (generation?.state !== 'pending') return;
  const { payer, hold, model, modelPermaslug, endpointId, providerName } = generation;
  const outcome = emptyOutcome({ model, modelPermaslug, endpointId, providerName }, 'refused_before');
  await reportSettlement(table, settlements, { generationId: id, payer, hold, outcome });
}
