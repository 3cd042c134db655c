/**
 * Polls a provider for a job. An unreadable response is not a failure: the provider is polled again until the job's
 * deadline.
 */

import { describeError, log } from '../../platform/logger.ts';
import { alarmOperator } from '../../platform/operator-alarm.ts';
import type { Polled } from '../../providers/job-wire.ts';
import type { JobCandidate } from '../../routing/job-candidates.ts';
import { changeJob, MAX_FILES, type StoredFile, type ProviderJob } from '../../store/generations/provider-jobs.ts';
import { endJob } from './end.ts';
import type { JobKind } from './job-kind.ts';
import { fileKey } from './objects.ts';
import { callProvider, FileTooLargeError, MAX_FILE_BYTES, openFile, type FilePlace } from './provider-files.ts';
import { backOffSeconds, type Next, type JobTools } from './tools.ts';

/** Maximum of a provider's Retry-After in seconds. */
const MAX_RETRY_AFTER_SECONDS = 60;
const MAX_FETCHES = 6;
/** Time in ms that is reserved for writing the result. */
const RESERVE_MS = 10_000;

export async function pollJob(tools: JobTools, job: ProviderJob): Promise<Next> {
  const candidate = await tools.candidateOf(job.model, job.endpoints[job.endpointIndex]!.endpointId);
  const polled = candidate ? await poll(tools, candidate, job) : unknownPoll('endpoint not usable');
  switch (polled.state) {
    case 'completed':
      return fetchFiles(tools, candidate!, job, polled.files);
    case 'failed':
      return endJob(tools, job, 'failed', {
        error: failedText(tools.kind, candidate!.endpoint.provider.name, polled.wasModerated),
      });
    case 'cancelled':
      return endJob(tools, job, 'cancelled', { error: `${candidate!.endpoint.provider.name} cancelled the job.` });
    case 'unknown':
      noteUnknown(tools, job, polled, candidate);
      return pollLater(tools, job, 0);
    case 'working':
      return pollLater(tools, job, polled.retryAfterSeconds ?? 0);
  }
}

function failedText({ noun, inputs }: JobKind, name: string, wasModerated = false): string {
  return wasModerated
    ? `The content moderation of ${name} stopped the ${noun}. Check ${inputs}.`
    : `${name} could not make the ${noun}.`;
}

async function poll({ remainingMs }: JobTools, candidate: JobCandidate, job: ProviderJob): Promise<Polled> {
  const { wire, target } = candidate;
  try {
    return wire.readPolled(
      await callProvider(candidate, wire.poll(job.upstreamJobId!, target), remainingMs() - RESERVE_MS),
    );
  } catch (error) {
    return unknownPoll(describeError(error).reason!);
  }
}

/**
 * A failed poll is logged only if the number of earlier polls is a multiple of this number. A provider may be silent
 * for two hours.
 */
const LOG_EVERY = 20;

function noteUnknown(
  { kind }: JobTools,
  { id: generationId, model, polls }: ProviderJob,
  { reason, fault }: Extract<Polled, { state: 'unknown' }>,
  candidate: JobCandidate | undefined,
): void {
  if (polls % LOG_EVERY !== 0) return;
  const fields = { worker: 'advance-videos', generationId, model, attempt: polls + 1, reason };
  log('warn', `${kind.noun} state not read`, fields);
  if (candidate) alarmOperator({ fault }, { ...fields, provider: candidate.endpoint.provider.id });
}

const unknownPoll = (reason: string): Polled => ({ state: 'unknown', reason });

async function pollLater({ table, nowMs }: JobTools, job: ProviderJob, retryAfterSeconds: number): Promise<Next> {
  const wished = Number.isFinite(retryAfterSeconds) ? Math.min(MAX_RETRY_AFTER_SECONDS, retryAfterSeconds) : 0;
  const afterSeconds = Math.ceil(Math.max(backOffSeconds(job.polls + 1), wished));
  await changeJob(table, job, {
    polls: job.polls + 1,
    polledAtMs: nowMs(),
    nextAtMs: nowMs() + afterSeconds * 1_000,
  });
  return { afterSeconds };
}

async function fetchFiles(
  tools: JobTools,
  candidate: JobCandidate,
  job: ProviderJob,
  places: FilePlace[],
): Promise<Next> {
  const { name } = candidate.endpoint.provider;
  if (places.length === 0 || places.length > MAX_FILES) {
    return endJob(tools, job, 'failed', {
      error: `${name} reported a completed ${tools.kind.noun} with ${places.length} files.`,
    });
  }
  // Claims the files, so that no other worker fetches them at the same time.
  const claimed = await changeJob(tools.table, job, {
    state: 'storing',
    fetches: job.fetches + 1,
    nextAtMs: tools.nowMs() + tools.remainingMs(),
  });
  const files: StoredFile[] = [];
  try {
    for (const [index, place] of places.entries()) files.push(await fetchFile(tools, candidate, { job, place, index }));
  } catch (error) {
    if (error instanceof FileTooLargeError) {
      const megabytes = MAX_FILE_BYTES / 1024 / 1024;
      return endJob(tools, claimed, 'failed', { error: `The ${tools.kind.noun} is larger than ${megabytes} MB.` });
    }
    log('warn', `${tools.kind.noun} not fetched`, {
      worker: 'advance-videos',
      generationId: job.id,
      provider: candidate.endpoint.provider.id,
      attempt: claimed.fetches,
      ...describeError(error),
    });
    if (claimed.fetches >= MAX_FETCHES) {
      return endJob(tools, claimed, 'failed', { error: `The ${tools.kind.noun} could not be fetched from ${name}.` });
    }
    const afterSeconds = backOffSeconds(job.fetches);
    await changeJob(tools.table, claimed, { nextAtMs: tools.nowMs() + afterSeconds * 1_000 });
    return { afterSeconds };
  }
  return endJob(tools, claimed, 'completed', { files });
}

async function fetchFile(
  { kind, bucket, remainingMs }: JobTools,
  candidate: JobCandidate,
  { job, place, index }: { job: ProviderJob; place: FilePlace; index: number },
): Promise<StoredFile> {
  const { mediaType, body } = await openFile(candidate, place, {
    mediaType: kind.mediaType,
    remainingMs: remainingMs() - RESERVE_MS,
  });
  const bytes = await bucket.putStream(fileKey(job, index), body, mediaType);
  if (bytes === 0) throw new Error('The file is empty');
  return { bytes, mediaType };
}
