/**
 * Jobs that make videos. A job is read and replaced as a whole, on the condition that its version has not changed. If
 * two workers continue the same job, one of them fails. A job does not contain the prompt.
 */

import { randomUUID } from 'node:crypto';
import { generationFrom, type Generation } from './generation.ts';
import { generationKey } from './generation-key.ts';
import { failedAttemptRecord, MAX_ATTEMPTS } from './outcome.ts';
import { payerRecord } from '../accounts/payer.ts';
import { readItem, readItems } from '../table/query.ts';
import { count, flag, instant, list, oneOf, optional, part, record, text, type RecordOf } from '../table/record.ts';
import { AlreadyAnsweredError } from '../accounts/idempotency.ts';
import type { Item, Table } from '../table/table.ts';
import { transact, writeAlone, type FailedCondition } from '../table/transact.ts';
import { putNew, putOver, type Key, type Write } from '../table/writes.ts';

/**
 * States of an unfinished job. `pending`: no provider has accepted it yet; `submitted`: accepted; `storing`: finished,
 * and its files are being fetched.
 */
const openStates = ['pending', 'submitted', 'storing'] as const;
export const endStates = ['completed', 'failed', 'cancelled', 'expired'] as const;
export type EndState = (typeof endStates)[number];

/** Maximum number of files of a job. */
export const MAX_FILES = 4;

const fileRecord = record({ bytes: count('bytes'), mediaType: text('media_type') });
export type StoredFile = RecordOf<typeof fileRecord>;

const endpointRecord = record({ endpointId: text('endpoint_id'), providerName: text('provider_name') });
/** Maximum number of endpoints of a job. With the current catalog, a request has fewer candidates. */
const MAX_JOB_ENDPOINTS = 16;

const jobRecord = record({
  /** Id of the job, the same as that of its generation. */
  id: text('id'),
  payer: part(payerRecord),
  state: oneOf('state', [...openStates, ...endStates]),
  /** Number of writes of the job. `writeId` identifies the last write. */
  version: count('version'),
  writeId: text('write_id'),
  model: text('model'),
  durationSeconds: count('duration_seconds'),
  resolution: text('resolution'),
  aspectRatio: text('aspect_ratio'),
  createdAtMs: instant('created_at'),
  deadlineAtMs: instant('deadline_at'),
  /** Time before which the job needs no work. */
  nextAtMs: instant('next_at'),
  /** Endpoints in the order of attempts. `endpointIndex` is the index of the current endpoint. */
  endpoints: list('endpoints', endpointRecord, MAX_JOB_ENDPOINTS),
  endpointIndex: count('endpoint_index'),
  submissions: count('submissions'),
  failedAttempts: list('failed_attempts', failedAttemptRecord, MAX_ATTEMPTS),
  /** Whether the current endpoint may have accepted the job in an attempt whose result is unknown. */
  isUncertain: flag('uncertain'),
  upstreamJobId: optional(text('upstream_job_id')),
  /** Time of the first request to a provider. */
  requestedAtMs: optional(instant('asked_at')),
  submittedAtMs: optional(instant('submitted_at')),
  polls: count('polls'),
  /** Time of the last poll of the job's provider. */
  polledAtMs: optional(instant('looked_at')),
  /** Number of attempts to fetch the files. */
  fetches: count('fetches'),
  files: list('files', fileRecord, MAX_FILES),
  endedAtMs: optional(instant('ended_at')),
  /** Error message for the client, if the job failed. */
  error: optional(text('error')),
  providerStatus: optional(count('provider_status')),
  /** Base URL at which the client called the gateway. URLs for the client begin with this URL. */
  baseUrl: text('base_url'),
  callbackUrl: optional(text('callback_url')),
  callbacks: count('callbacks'),
  /** Whether the callback was delivered, or will not be attempted again. */
  isCalledBack: flag('called_back'),
});
export type VideoJob = RecordOf<typeof jobRecord>;

export const jobAttributes = jobRecord.attributes;

/** Fields of a new job, before a worker has started it. */
export type NewVideoJob = Pick<
  VideoJob,
  | 'id'
  | 'payer'
  | 'model'
  | 'durationSeconds'
  | 'resolution'
  | 'aspectRatio'
  | 'createdAtMs'
  | 'deadlineAtMs'
  | 'endpoints'
  | 'baseUrl'
  | 'callbackUrl'
>;

/** Fields that may change. All other fields stay as submitted. */
export type JobChange = Partial<Omit<VideoJob, keyof NewVideoJob | 'version' | 'writeId'>>;

/** Thrown if another worker has changed the job in the meantime. */
export class JobMovedError extends Error {
  override name = 'JobMovedError';
}

function jobKey(accountId: string, id: string): Key {
  return { pk: `VIDEO#${accountId}#${id}`, sk: 'JOB' };
}

export function newVideoJob(job: NewVideoJob): VideoJob {
  return {
    ...job,
    state: 'pending',
    version: 1,
    writeId: randomUUID(),
    nextAtMs: job.createdAtMs,
    endpointIndex: 0,
    submissions: 0,
    failedAttempts: [],
    isUncertain: false,
    upstreamJobId: undefined,
    requestedAtMs: undefined,
    submittedAtMs: undefined,
    polls: 0,
    polledAtMs: undefined,
    fetches: 0,
    files: [],
    endedAtMs: undefined,
    error: undefined,
    providerStatus: undefined,
    callbacks: 0,
    isCalledBack: false,
  };
}

/**
 * Writes a new job.
 * @param keptAnswer write that stores the answer to the request, in one transaction with the job
 * @throws {JobMovedError} if another job has this id
 * @throws {AlreadyAnsweredError} if the condition of `keptAnswer` failed; no job is written then
 */
export async function putVideoJob(table: Table, job: VideoJob, keptAnswer: Write | undefined): Promise<void> {
  const write = putNew(table, itemOf(job));
  if (!keptAnswer) return writeOwn(table, write, job);
  const outcome = await transact(table, { job: write, keptAnswer });
  if (outcome.committed) return;
  checkOwn(outcome.failed.job, job);
  // If the stored job is this job, an attempt whose reply was lost has written both items.
  if (!outcome.failed.job) throw new AlreadyAnsweredError();
}

/**
 * Replaces the job.
 * @returns the job as it is now stored
 * @throws {JobMovedError} if the stored version is no longer the version that was read
 */
export async function changeVideoJob(table: Table, job: VideoJob, change: JobChange): Promise<VideoJob> {
  const after = { ...job, ...change, version: job.version + 1, writeId: randomUUID() };
  await writeOwn(table, putOver(table, itemOf(after), job.version), after);
  return after;
}

export async function readVideoJob(table: Table, accountId: string, id: string): Promise<VideoJob | undefined> {
  const item = await readItem(table, jobKey(accountId, id));
  return item && jobRecord.from(item);
}

/** Returns a job and its generation, read together. */
export async function readVideo(
  table: Table,
  accountId: string,
  id: string,
): Promise<{ job: VideoJob; generation: Generation } | undefined> {
  const items = await readItems(table, [jobKey(accountId, id), generationKey(accountId, id)]);
  const job = items.find((item) => item['entity'] === 'video_job');
  const generation = items.find((item) => item['entity'] === 'generation');
  return job && generation && { job: jobRecord.from(job), generation: generationFrom(generation) };
}

function itemOf(job: VideoJob): Item {
  return { ...jobKey(job.payer.accountId, job.id), entity: 'video_job', ...jobRecord.toItem(job) };
}

/**
 * Writes a job. If the reply to a successful write is lost, the repeated write fails its condition. The stored job then
 * has the `writeId` of this write, so the failure is ignored.
 */
async function writeOwn(table: Table, write: Write, job: VideoJob): Promise<void> {
  checkOwn(await writeAlone(table, write), job);
}

function checkOwn(failed: FailedCondition | undefined, { writeId }: VideoJob): void {
  if (failed && failed.item?.['write_id'] !== writeId) throw new JobMovedError('Another worker changed the job');
}
