/**
 * Jobs that make videos. A job is read and replaced as a whole, in the version that was read: of two that go on with the
 * same job, one finds that it has moved on. No text of a prompt is in it.
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

/** `pending`: not accepted by a provider; `submitted`: accepted; `storing`: made, and its files are being fetched. */
const openStates = ['pending', 'submitted', 'storing'] as const;
export const endStates = ['completed', 'failed', 'cancelled', 'expired'] as const;
export type EndState = (typeof endStates)[number];

/** Files that a job may have. */
export const MAX_FILES = 4;

const fileRecord = record({ bytes: count('bytes'), mediaType: text('media_type') });
export type StoredFile = RecordOf<typeof fileRecord>;

const endpointRecord = record({ endpointId: text('endpoint_id'), providerName: text('provider_name') });
/** More than are ever tried for one job. */
const MAX_JOB_ENDPOINTS = 16;

const jobRecord = record({
  /** Of its generation. */
  id: text('id'),
  payer: part(payerRecord),
  state: oneOf('state', [...openStates, ...endStates]),
  /** Counts the writes; `writeId` says whose the last one was. */
  version: count('version'),
  writeId: text('write_id'),
  model: text('model'),
  durationSeconds: count('duration_seconds'),
  resolution: text('resolution'),
  aspectRatio: text('aspect_ratio'),
  createdAtMs: instant('created_at'),
  deadlineAtMs: instant('deadline_at'),
  /** Nothing is to be done before. */
  nextAtMs: instant('next_at'),
  /** Endpoints in the order in which they are tried, and the place of the one that is asked. */
  endpoints: list('endpoints', endpointRecord, MAX_JOB_ENDPOINTS),
  endpointIndex: count('endpoint_index'),
  submissions: count('submissions'),
  failedAttempts: list('failed_attempts', failedAttemptRecord, MAX_ATTEMPTS),
  upstreamJobId: optional(text('upstream_job_id')),
  /** When the first provider was asked. */
  askedAtMs: optional(instant('asked_at')),
  submittedAtMs: optional(instant('submitted_at')),
  polls: count('polls'),
  /** When its provider was last asked how it stands. */
  lookedAtMs: optional(instant('looked_at')),
  /** Tries at fetching the files. */
  fetches: count('fetches'),
  files: list('files', fileRecord, MAX_FILES),
  endedAtMs: optional(instant('ended_at')),
  /** What the client is told of a failure. */
  error: optional(text('error')),
  providerStatus: optional(count('provider_status')),
  /** Where the client reaches the gateway. */
  baseUrl: text('base_url'),
  callbackUrl: optional(text('callback_url')),
  callbacks: count('callbacks'),
  /** The client has been told, or will not be. */
  isCalledBack: flag('called_back'),
});
export type VideoJob = RecordOf<typeof jobRecord>;

export const jobAttributes = jobRecord.attributes;

/** A job of which nothing has been done yet. */
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

/** What may change; everything else is as it was submitted. */
export type JobChange = Partial<Omit<VideoJob, keyof NewVideoJob | 'version' | 'writeId'>>;

/** Somebody else goes on with the job. */
export class JobMovedError extends Error {
  override name = 'JobMovedError';
}

/** @throws {RangeError} when the id is not a generation id. */
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
    upstreamJobId: undefined,
    askedAtMs: undefined,
    submittedAtMs: undefined,
    polls: 0,
    lookedAtMs: undefined,
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
 * @param keptAnswer the write that keeps the answer to the request; it is in one transaction with the job
 * @throws {JobMovedError} when there is another one with this id
 * @throws {AlreadyAnsweredError} when the condition of `keptAnswer` failed; no job is written then
 */
export async function putVideoJob(table: Table, job: VideoJob, keptAnswer: Write | undefined): Promise<void> {
  const write = putNew(table, itemOf(job));
  if (!keptAnswer) return writeOwn(table, write, job);
  const outcome = await transact(table, { job: write, keptAnswer });
  if (outcome.committed) return;
  checkOwn(outcome.failed.job, job);
  // A try whose reply was lost has kept both: the job that is stored is this one then.
  if (!outcome.failed.job) throw new AlreadyAnsweredError();
}

/** @returns the job as it is now @throws {JobMovedError} when it is not in the version that was read */
export async function changeVideoJob(table: Table, job: VideoJob, change: JobChange): Promise<VideoJob> {
  const after = { ...job, ...change, version: job.version + 1, writeId: randomUUID() };
  await writeOwn(table, putOver(table, itemOf(after), job.version), after);
  return after;
}

export async function readVideoJob(table: Table, accountId: string, id: string): Promise<VideoJob | undefined> {
  const item = await readItem(table, jobKey(accountId, id));
  return item && jobRecord.from(item);
}

/** A job and its generation, as they are at the same time. */
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

/** A write whose reply was lost may be refused when it is repeated: what is stored then is our own. */
async function writeOwn(table: Table, write: Write, job: VideoJob): Promise<void> {
  checkOwn(await writeAlone(table, write), job);
}

function checkOwn(failed: FailedCondition | undefined, { writeId }: VideoJob): void {
  if (failed && failed.item?.['write_id'] !== writeId) throw new JobMovedError('The job has moved on');
}
