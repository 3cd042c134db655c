/**
 * Jobs that run at providers, such as videos. If two workers change a job at the same time, one change fails. A job does
 * not contain the prompt.
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
 * States of a job that has not ended. `submitted`: a provider has accepted the job. `storing`: its files are being
 * fetched.
 */
const openStates = ['pending', 'submitted', 'storing'] as const;
export const endStates = ['completed', 'failed', 'cancelled', 'expired'] as const;
export type EndState = (typeof endStates)[number];

export const MAX_FILES = 4;

const fileRecord = record({ bytes: count('bytes'), mediaType: text('media_type') });
export type StoredFile = RecordOf<typeof fileRecord>;

const endpointRecord = record({ endpointId: text('endpoint_id'), providerName: text('provider_name') });
const MAX_JOB_ENDPOINTS = 16;

const jobRecord = record({
  /** Id of the job and of its generation. */
  id: text('id'),
  payer: part(payerRecord),
  state: oneOf('state', [...openStates, ...endStates]),
  /** `version` counts the writes; `writeId` identifies the last write. */
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
  /** Endpoints in the order of attempts. */
  endpoints: list('endpoints', endpointRecord, MAX_JOB_ENDPOINTS),
  endpointIndex: count('endpoint_index'),
  submissions: count('submissions'),
  failedAttempts: list('failed_attempts', failedAttemptRecord, MAX_ATTEMPTS),
  /** Whether the current endpoint may have accepted the job in an attempt with an unknown result. */
  isUncertain: flag('uncertain'),
  upstreamJobId: optional(text('upstream_job_id')),
  /** Time of the first request to a provider. */
  requestedAtMs: optional(instant('asked_at')),
  submittedAtMs: optional(instant('submitted_at')),
  polls: count('polls'),
  polledAtMs: optional(instant('looked_at')),
  fetches: count('fetches'),
  files: list('files', fileRecord, MAX_FILES),
  endedAtMs: optional(instant('ended_at')),
  error: optional(text('error')),
  providerStatus: optional(count('provider_status')),
  /** Base URL of the gateway, for links in the client's view of the job. */
  baseUrl: text('base_url'),
  callbackUrl: optional(text('callback_url')),
  callbacks: count('callbacks'),
  /** Whether the callback was delivered, or will not be attempted again. */
  isCalledBack: flag('called_back'),
});
export type ProviderJob = RecordOf<typeof jobRecord>;

export const jobAttributes = jobRecord.attributes;

export type NewJob = Pick<
  ProviderJob,
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

export type JobChange = Partial<Omit<ProviderJob, keyof NewJob | 'version' | 'writeId'>>;

/** Thrown if another worker has changed the job. */
export class JobMovedError extends Error {
  override name = 'JobMovedError';
}

function jobKey(accountId: string, id: string): Key {
  return { pk: `VIDEO#${accountId}#${id}`, sk: 'JOB' };
}

export function newJob(job: NewJob): ProviderJob {
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
 * Stores a new job.
 * @param keptAnswer write that stores the answer to the request, in one transaction with the job
 * @throws {JobMovedError} if another job has this id
 * @throws {AlreadyAnsweredError} if the condition of `keptAnswer` failed; no job is written then
 */
export async function putJob(table: Table, job: ProviderJob, keptAnswer: Write | undefined): Promise<void> {
  const write = putNew(table, itemOf(job));
  if (!keptAnswer) return writeOwn(table, write, job);
  const outcome = await transact(table, { job: write, keptAnswer });
  if (outcome.committed) return;
  checkOwn(outcome.failed.job, job);
  // If only the condition of the answer failed, another request has stored its answer. If both failed, an earlier
  // attempt of this call may have written both items, which `checkOwn` finds out.
  if (!outcome.failed.job) throw new AlreadyAnsweredError();
}

/**
 * Changes a job, and returns it as it is now stored.
 * @throws {JobMovedError} if the stored version is no longer the version that was read
 */
export async function changeJob(table: Table, job: ProviderJob, change: JobChange): Promise<ProviderJob> {
  const after = { ...job, ...change, version: job.version + 1, writeId: randomUUID() };
  await writeOwn(table, putOver(table, itemOf(after), job.version), after);
  return after;
}

export async function readJob(table: Table, accountId: string, id: string): Promise<ProviderJob | undefined> {
  const item = await readItem(table, jobKey(accountId, id));
  return item && jobRecord.from(item);
}

export async function readJobAndGeneration(
  table: Table,
  accountId: string,
  id: string,
): Promise<{ job: ProviderJob; generation: Generation } | undefined> {
  const items = await readItems(table, [jobKey(accountId, id), generationKey(accountId, id)]);
  const job = items.find((item) => item['entity'] === 'video_job');
  const generation = items.find((item) => item['entity'] === 'generation');
  return job && generation && { job: jobRecord.from(job), generation: generationFrom(generation) };
}

function itemOf(job: ProviderJob): Item {
  return { ...jobKey(job.payer.accountId, job.id), entity: 'video_job', ...jobRecord.toItem(job) };
}

/** Writes a job. Ignores a failed condition after a lost reply: the stored job then has the `writeId` of this write. */
async function writeOwn(table: Table, write: Write, job: ProviderJob): Promise<void> {
  checkOwn(await writeAlone(table, write), job);
}

function checkOwn(failed: FailedCondition | undefined, { writeId }: ProviderJob): void {
  if (failed && failed.item?.['write_id'] !== writeId) throw new JobMovedError('Another worker changed the job');
}
