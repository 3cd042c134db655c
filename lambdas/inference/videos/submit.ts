/**
 * Submits a job to a provider. If the result of an attempt is unknown, only the same provider is tried again, and only
 * if it recognizes repeated jobs by their token. Otherwise the job ends, because a repeated request could start a
 * second video, for which the operator would pay. Another provider gets the job only if no attempt can have been
 * accepted.
 *
 * Weakness: if a function crashes between its request and the following write, the job is submitted again.
 */

import { describeError, log } from '../../platform/logger.ts';
import { readPepper } from '../../platform/secrets/secrets.ts';
import { UpstreamError } from '../../providers/http/upstream-error.ts';
import type { Submitted, VideoHttpAnswer, VideoRequest } from '../../providers/video/wire.ts';
import type { VideoCandidate } from '../../routing/video-candidates.ts';
import { readGeneration } from '../../store/generations/generation-queries.ts';
import { MAX_ATTEMPTS, type Outcome } from '../../store/generations/outcome.ts';
import { changeVideoJob, type VideoJob } from '../../store/generations/video-jobs.ts';
import { alarmOperator } from '../operator-alarm.ts';
import { endJob } from './end.ts';
import { noticeName } from './provider-webhook.ts';
import { dropRequest, readRequest } from './objects.ts';
import { callVideoProvider } from './provider.ts';
import { backOffSeconds, type Next, type VideoTools } from './tools.ts';

/** Maximum number of attempts of a job, per endpoint of the job. */
const MAX_SUBMIT_ROUNDS = 3;
/** Time in ms in which no other worker submits the job, because the first worker may still wait for a response. */
const SUBMIT_WITHIN_MS = 90_000;

type SubmitResult =
  | { answer: VideoHttpAnswer; submitted: Exclude<Submitted, { uncertain: string }> }
  | { answer?: VideoHttpAnswer; lost: UpstreamError }
  | { unsent: string };

export async function submitJob(tools: VideoTools, job: VideoJob): Promise<Next> {
  const { table, bucket, nowMs } = tools;
  // The hold may have been released after a failed request. A job without a hold must not be sent.
  const generation = await readGeneration(table, job.payer.accountId, job.id);
  if (generation?.state !== 'pending') return endJob(tools, job, 'failed', { error: 'The request was cancelled.' });
  const request = await readRequest(bucket, job);
  if (!request) return endJob(tools, job, 'failed', { error: 'The request was lost before it was sent.' });
  const requestedAtMs = nowMs();
  const claimed = await changeVideoJob(table, job, {
    submissions: job.submissions + 1,
    requestedAtMs: job.requestedAtMs ?? requestedAtMs,
    nextAtMs: requestedAtMs + SUBMIT_WITHIN_MS,
  });
  const { endpointId } = job.endpoints[job.endpointIndex]!;
  const candidate = await tools.candidateOf(job.model, endpointId);
  const beganAtMs = nowMs();
  const tried = candidate ? await trySubmitting(tools, candidate, claimed, request) : { unsent: 'not usable' };
  if ('submitted' in tried && 'jobId' in tried.submitted) {
    tools.onResult(endpointId, 'ok');
    return acceptedJob(tools, claimed, { upstreamJobId: tried.submitted.jobId, providerStatus: tried.answer.status });
  }
  if ('submitted' in tried && 'refused' in tried.submitted) {
    const { name } = candidate!.endpoint.provider;
    const { status: providerStatus } = tried.answer;
    const error = `${name} rejected the request (status ${providerStatus}). Check the prompt, the frames and the settings.`;
    return endJob(tools, claimed, 'failed', { error, providerStatus });
  }
  tools.onResult(endpointId, 'failed');
  const status = ('answer' in tried ? tried.answer?.status : undefined) ?? null;
  noteFailure(claimed, candidate, status, tried);
  if ('lost' in tried && candidate!.wire.hasSubmissionTokens !== true) {
    const { name } = candidate!.endpoint.provider;
    const error = `It is unknown whether ${name} accepted the request, so the gateway did not send it again. Nothing is charged. Send a new request.`;
    return endJob(tools, claimed, 'failed', { error, providerStatus: status ?? undefined });
  }
  const attempt = candidate && attemptOf(candidate, status, nowMs() - beganAtMs);
  return tryAgain(tools, claimed, { wasLost: 'lost' in tried, attempt });
}

async function acceptedJob(
  { table, bucket, nowMs }: VideoTools,
  job: VideoJob,
  by: { upstreamJobId: string; providerStatus: number },
): Promise<Next> {
  const afterSeconds = backOffSeconds(0);
  const atMs = nowMs();
  const next = { submittedAtMs: atMs, nextAtMs: atMs + afterSeconds * 1_000 };
  await changeVideoJob(table, job, { ...by, ...next, state: 'submitted' });
  await dropRequest(bucket, job);
  return { afterSeconds };
}

function noteFailure(
  { id: generationId, model, submissions: attempt }: VideoJob,
  candidate: VideoCandidate | undefined,
  status: number | null,
  tried: SubmitResult,
): void {
  const about = {
    worker: 'advance-videos',
    generationId,
    model,
    attempt,
    ...(candidate ? { provider: candidate.endpoint.provider.id } : {}),
    ...(status === null ? {} : { status }),
    ...submitFailure(tried),
  };
  log('warn', 'video not submitted', about);
  if (candidate && 'submitted' in tried && 'failed' in tried.submitted) {
    alarmOperator({ fault: tried.submitted.fault }, { ...about, provider: candidate.endpoint.provider.id });
  }
}

async function trySubmitting(
  { remainingMs }: VideoTools,
  candidate: VideoCandidate,
  job: VideoJob,
  request: VideoRequest,
): Promise<SubmitResult> {
  const { wire, target } = candidate;
  let answer: VideoHttpAnswer;
  try {
    const webhookUrl = await noticeUrl(job, candidate);
    const http = wire.submit(request, target, { clientToken: job.id, webhookUrl });
    const isFresh = wire.hasSubmissionTokens !== true;
    answer = await callVideoProvider(
      candidate,
      { ...http, isFresh },
      Math.min(SUBMIT_WITHIN_MS, remainingMs()) - 5_000,
    );
  } catch (error) {
    if (!(error instanceof UpstreamError)) return { unsent: describeError(error).reason! };
    const isUnsent = ['connect', 'connect_timeout', 'unauthorized'].includes(error.failure);
    return isUnsent ? { unsent: error.failure } : { lost: error };
  }
  try {
    const submitted = wire.readSubmitted(answer);
    return 'uncertain' in submitted
      ? { answer, lost: new UpstreamError('broken', submitted.uncertain) }
      : { answer, submitted };
  } catch (error) {
    // The provider may have accepted the job although its response is unreadable.
    return { answer, lost: new UpstreamError('malformed', 'The answer to a submission is not readable', error) };
  }
}

/**
 * Returns the URL at which the provider may report progress, or undefined if the provider could not reach the gateway.
 */
async function noticeUrl(
  { payer: { accountId }, id, baseUrl }: VideoJob,
  { endpoint }: VideoCandidate,
): Promise<string | undefined> {
  const isHere = new URL(endpoint.provider.baseUrl).protocol === 'http:';
  if (!baseUrl.startsWith('https:') && !isHere) return undefined;
  return `${baseUrl}/videos/notices/${noticeName({ accountId, id }, await readPepper())}`;
}

/**
 * Retries at the same endpoint if the result of any attempt is unknown, otherwise at the next endpoint. Waits before an
 * endpoint is tried again: 4 s after the first attempt, 8 s after the second, and at most 30 s.
 */
async function tryAgain(
  tools: VideoTools,
  job: VideoJob,
  { wasLost, attempt }: { wasLost: boolean; attempt: Outcome['failedAttempts'][number] | undefined },
): Promise<Next> {
  const { endpoints, endpointIndex, submissions } = job;
  const failedAttempts = [...job.failedAttempts, ...(attempt ? [attempt] : [])].slice(-MAX_ATTEMPTS);
  if (submissions >= MAX_SUBMIT_ROUNDS * endpoints.length) {
    const error = 'No provider of the model accepted the request. Try again later.';
    // The outcome has its own fields for the last attempt, so the list excludes it.
    const providerStatus = attempt?.status ?? undefined;
    return endJob(tools, job, 'failed', { error, failedAttempts: job.failedAttempts, providerStatus });
  }
  const isUncertain = wasLost || job.isUncertain;
  const next = isUncertain ? endpointIndex : (endpointIndex + 1) % endpoints.length;
  const afterSeconds = next > endpointIndex ? 0 : backOffSeconds(submissions);
  const nextAtMs = tools.nowMs() + afterSeconds * 1_000;
  await changeVideoJob(tools.table, job, { endpointIndex: next, failedAttempts, isUncertain, nextAtMs });
  return { afterSeconds };
}

function attemptOf(
  { model, endpoint }: VideoCandidate,
  status: number | null,
  durationMs: number,
): Outcome['failedAttempts'][number] {
  const { id: endpointId, provider } = endpoint;
  const of = { endpointId, modelPermaslug: model.data.permaslug, providerName: provider.name };
  return { ...of, status, durationMs: Math.max(0, durationMs) };
}

function submitFailure(tried: SubmitResult): { reason?: string } {
  if ('unsent' in tried) return { reason: tried.unsent };
  return 'lost' in tried ? { reason: tried.lost.failure } : {};
}
