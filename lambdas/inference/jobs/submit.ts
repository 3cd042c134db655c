/**
 * Submits a job to a provider. If the result of an attempt is unknown, only the same provider is tried again, and only
 * if it recognizes repeated jobs by their token. Otherwise the job ends, because a repeated request could start a
 * second answer, for which the operator would pay. Another provider gets the job only if no attempt can have been
 * accepted.
 *
 * Weakness: if a function crashes between its request and the following write, the job is submitted again.
 */

import { describeError, log } from '../../platform/logger.ts';
import { alarmOperator } from '../../platform/operator-alarm.ts';
import { readPepper } from '../../platform/secrets/secrets.ts';
import { operatorsText, requestIdIn } from '../../providers/failures.ts';
import { UpstreamError } from '../../providers/http/upstream-error.ts';
import type { Submitted, JobHttpAnswer } from '../../providers/job-wire.ts';
import type { ProviderJobRequest } from '../../providers/job-wires.ts';
import type { JobCandidate } from '../../routing/job-candidates.ts';
import { readGeneration } from '../../store/generations/generation-queries.ts';
import { MAX_ATTEMPTS, type Outcome } from '../../store/generations/outcome.ts';
import { changeJob, type ProviderJob } from '../../store/generations/provider-jobs.ts';
import { endJob } from './end.ts';
import { noticeName } from './provider-webhook.ts';
import { dropRequest, readRequest } from './objects.ts';
import { callProvider } from './provider-files.ts';
import type { JobKind } from './job-kind.ts';
import { backOffSeconds, type Next, type JobTools } from './tools.ts';

/** Maximum number of attempts per endpoint of the job, on average. */
const MAX_SUBMIT_ROUNDS = 3;
/** Time in ms in which no other worker submits the job. */
const SUBMIT_WITHIN_MS = 90_000;

type SubmitResult =
  | { answer: JobHttpAnswer; submitted: Exclude<Submitted, { uncertain: string }> }
  | { answer?: JobHttpAnswer; lost: UpstreamError }
  | { unsent: string };

export async function submitJob(tools: JobTools, job: ProviderJob): Promise<Next> {
  const { table, bucket, nowMs } = tools;
  // The hold may have been released after a failed request. A job without a hold must not be sent.
  const generation = await readGeneration(table, job.payer.accountId, job.id);
  if (generation?.state !== 'pending') return endJob(tools, job, 'failed', { error: 'The request was cancelled.' });
  const request = await readRequest(bucket, job);
  if (!request) return endJob(tools, job, 'failed', { error: 'The request was lost before it was sent.' });
  const requestedAtMs = nowMs();
  const claimed = await changeJob(table, job, {
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
    const error = `${name} rejected the request (status ${providerStatus}). Check ${tools.kind.inputs}.`;
    return endJob(tools, claimed, 'failed', { error, providerStatus });
  }
  tools.onResult(endpointId, 'failed');
  const status = ('answer' in tried ? tried.answer?.status : undefined) ?? null;
  noteFailure(tools, claimed, candidate, status, tried);
  if ('lost' in tried && candidate!.wire.hasSubmissionTokens !== true) {
    const { name } = candidate!.endpoint.provider;
    const error = `It is unknown whether ${name} accepted the request, so the gateway did not send it again. Nothing is charged. Send a new request.`;
    return endJob(tools, claimed, 'failed', { error, providerStatus: status ?? undefined });
  }
  const attempt = candidate && attemptOf(candidate, status, nowMs() - beganAtMs);
  return tryAgain(tools, claimed, { wasLost: 'lost' in tried, attempt, lasting: lastingText(tried, candidate) });
}

/** Returns the error message for a failure that only the operator can fix; undefined for other failures. */
function lastingText(tried: SubmitResult, candidate: JobCandidate | undefined): string | undefined {
  if (!candidate || !('submitted' in tried) || !('failed' in tried.submitted)) return undefined;
  const { fault } = tried.submitted;
  return fault && operatorsText(fault, candidate.endpoint.provider.name, tried.answer.status);
}

async function acceptedJob(
  { table, bucket, nowMs }: JobTools,
  job: ProviderJob,
  by: { upstreamJobId: string; providerStatus: number },
): Promise<Next> {
  const afterSeconds = backOffSeconds(0);
  const atMs = nowMs();
  const next = { submittedAtMs: atMs, nextAtMs: atMs + afterSeconds * 1_000 };
  await changeJob(table, job, { ...by, ...next, state: 'submitted' });
  await dropRequest(bucket, job);
  return { afterSeconds };
}

function noteFailure(
  { kind }: JobTools,
  { id: generationId, model, submissions: attempt }: ProviderJob,
  candidate: JobCandidate | undefined,
  status: number | null,
  tried: SubmitResult,
): void {
  const id = 'answer' in tried && tried.answer ? requestIdIn(tried.answer.headers) : undefined;
  const about = {
    worker: 'advance-videos',
    generationId,
    model,
    attempt,
    ...(candidate ? { provider: candidate.endpoint.provider.id } : {}),
    ...(status === null ? {} : { status }),
    ...(id === undefined ? {} : { providerRequestId: id }),
    ...submitFailure(tried),
  };
  log('warn', `${kind.noun} not submitted`, about);
  if (candidate && 'submitted' in tried && 'failed' in tried.submitted) {
    alarmOperator({ fault: tried.submitted.fault }, { ...about, provider: candidate.endpoint.provider.id });
  }
}

async function trySubmitting(
  { kind, remainingMs }: JobTools,
  candidate: JobCandidate,
  job: ProviderJob,
  request: ProviderJobRequest,
): Promise<SubmitResult> {
  const { wire, target } = candidate;
  let answer: JobHttpAnswer;
  try {
    const webhookUrl = await noticeUrl(kind, job, candidate);
    const http = wire.submit(request, target, { clientToken: job.id, webhookUrl });
    const isFresh = wire.hasSubmissionTokens !== true;
    answer = await callProvider(candidate, { ...http, isFresh }, Math.min(SUBMIT_WITHIN_MS, remainingMs()) - 5_000);
  } catch (error) {
    if (!(error instanceof UpstreamError)) return { unsent: describeError(error).reason! };
    return error.isUnsent ? { unsent: error.failure } : { lost: error };
  }
  try {
    const submitted = wire.readSubmitted(answer);
    return 'uncertain' in submitted
      ? { answer, lost: new UpstreamError('broken', submitted.uncertain) }
      : { answer, submitted };
  } catch (error) {
    // The result counts as unknown: the provider may have accepted the job although its response is unreadable.
    return { answer, lost: new UpstreamError('malformed', 'The answer to a submission is not readable', error) };
  }
}

/** Returns the URL for the provider's notices; undefined if the provider could not reach the gateway. */
async function noticeUrl(
  { path }: JobKind,
  { payer: { accountId }, id, baseUrl }: ProviderJob,
  { endpoint }: JobCandidate,
): Promise<string | undefined> {
  const isHere = new URL(endpoint.provider.baseUrl).protocol === 'http:';
  if (!baseUrl.startsWith('https:') && !isHere) return undefined;
  return `${baseUrl}${path}/notices/${noticeName({ accountId, id }, await readPepper())}`;
}

/**
 * Retries at the same endpoint if the result of any attempt is unknown, otherwise at the next endpoint. A pause of 4 to
 * 30 s, which grows with the number of attempts, comes before an endpoint is tried again.
 * @param options.lasting error message of a failure that a retry at the same endpoint would not avoid
 */
async function tryAgain(
  tools: JobTools,
  job: ProviderJob,
  {
    wasLost,
    attempt,
    lasting,
  }: { wasLost: boolean; attempt: Outcome['failedAttempts'][number] | undefined; lasting: string | undefined },
): Promise<Next> {
  const { endpoints, endpointIndex, submissions } = job;
  const failedAttempts = [...job.failedAttempts, ...(attempt ? [attempt] : [])].slice(-MAX_ATTEMPTS);
  const isUncertain = wasLost || job.isUncertain;
  const next = isUncertain ? endpointIndex : (endpointIndex + 1) % endpoints.length;
  const isUseless = lasting !== undefined && next === endpointIndex;
  if (isUseless || submissions >= MAX_SUBMIT_ROUNDS * endpoints.length) {
    const error = lasting ?? 'No provider of the model accepted the request. Try again later.';
    // `failedAttempts` does not include the last attempt, whose status is `providerStatus`.
    const providerStatus = attempt?.status ?? undefined;
    return endJob(tools, job, 'failed', { error, failedAttempts: job.failedAttempts, providerStatus });
  }
  const afterSeconds = next > endpointIndex ? 0 : backOffSeconds(submissions);
  const nextAtMs = tools.nowMs() + afterSeconds * 1_000;
  await changeJob(tools.table, job, { endpointIndex: next, failedAttempts, isUncertain, nextAtMs });
  return { afterSeconds };
}

function attemptOf(
  { model, endpoint }: JobCandidate,
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
