import { nowMs } from '../platform/clock.ts';
import type { ErrorKind } from '../platform/errors.ts';
import { generationTimeMs } from '../platform/ids.ts';
import { describeError, log } from '../platform/logger.ts';
import { addToSlot, HOUR_MS, SLOT_MS, SLOT_SHARDS, type EndpointSums } from '../store/statistics/endpoint-slots.ts';
import type { Outcome } from '../store/generations/outcome.ts';
import type { Table } from '../store/table/table.ts';
import { addTo, bucketOf } from './histogram.ts';
import { addSums, noSums } from './sums.ts';

export interface Ended {
  generationId: string;
  outcome: Outcome;
}

/** Maximum time in ms since the end of a counted generation, because the statistics cover only the last day. */
const MAX_COUNTED_AGE_MS = 24 * HOUR_MS;
/**
 * Minimum tokens and minimum time of writing of an answer whose speed is measured. In less time, it probably arrived as
 * one document.
 */
const MIN_TOKENS = 20;
const MIN_WRITING_MS = 50;

/** Kinds of failures of requests that were invalid or too frequent. The statistics of the endpoint ignore them. */
const UNCOUNTED_KINDS = new Set<string>([
  'invalid_request',
  'context_length_exceeded',
  'payload_too_large',
  'rate_limit_exceeded',
] satisfies ErrorKind[]);
/** HTTP statuses of such failures, for attempts whose kind of failure is not recorded. */
const UNCOUNTED_STATUSES = new Set<number | null>([400, 413, 422, 429]);

/** Adds outcomes to the statistics. Drops outcomes that could not be added. Never rejects. */
export async function countOutcomes(table: Table, ended: Ended[]): Promise<void> {
  const results = await Promise.allSettled(
    bySlot(ended, nowMs()).map(([slot, sums]) => addToSlot(table, { ...slot, shard: anyShard() }, sums)),
  );
  const failed = results.filter((result) => result.status === 'rejected');
  if (failed.length === 0) return;
  log('warn', 'statistics of endpoints not counted', { count: failed.length, ...describeError(failed[0]!.reason) });
}

/** Returns a random shard of a slot. */
function anyShard(): number {
  return Math.floor(Math.random() * SLOT_SHARDS);
}

/** Returns sums of outcomes by endpoint and slot of five minutes. */
export function bySlot(ended: Ended[], atMs: number): [{ slotMs: number; endpointId: string }, EndpointSums][] {
  const slots = new Map<string, [{ slotMs: number; endpointId: string }, EndpointSums]>();
  for (const { generationId, outcome } of ended) {
    const endedAtMs = outcomeEnd(generationId, outcome, atMs);
    if (atMs - endedAtMs > MAX_COUNTED_AGE_MS) continue;
    const slotMs = Math.floor(endedAtMs / SLOT_MS) * SLOT_MS;
    for (const [endpointId, sums] of sumsOf(outcome)) {
      const name = `${slotMs}#${endpointId}`;
      const [, known] = slots.get(name) ?? [undefined, noSums()];
      addSums(known, sums);
      slots.set(name, [{ slotMs, endpointId }, known]);
    }
  }
  return [...slots.values()];
}

/** Returns the time at which the generation itself ended. Its settlement may be much later. */
function outcomeEnd(generationId: string, { latencyMs, generationTimeMs: writingMs }: Outcome, atMs: number): number {
  const begunAtMs = generationTimeMs(generationId) ?? atMs;
  return Math.min(atMs, begunAtMs + (latencyMs ?? 0) + (writingMs ?? 0));
}

function sumsOf(outcome: Ended['outcome']): [endpointId: string, EndpointSums][] {
  const refused = refusedAttempts(outcome);
  const failed = refused.filter((attempt, index) => {
    // The client or the time limit ended this attempt, so it is not a failure of the endpoint.
    const isAbandoned = attempt.status === null && index === refused.length - 1 && isGivenUpByClient(outcome);
    return !isAbandoned && !isUncounted(attempt);
  });
  const sums = failed.map(({ endpointId }): [string, EndpointSums] => [
    endpointId,
    { ...noSums(), requests: 1, failures: 1 },
  ]);
  const waitedMs = refused.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const answer = sumsOfAnswer(outcome, waitedMs);
  return answer ? [...sums, [outcome.endpointId, answer]] : sums;
}

/** Returns the attempts (requests to an endpoint) without any event of an answer and without a status of success. */
function refusedAttempts({ failedAttempts, endpointId, providerStatus, latencyMs, failures }: Outcome) {
  const last = latencyMs === null ? [{ endpointId, status: providerStatus, durationMs: 0 }] : [];
  return [...failedAttempts, ...last]
    .map((attempt, index) => ({ ...attempt, kind: failures[index] }))
    .filter(({ status }) => !isAnswer(status));
}

function isUncounted({ kind, status }: { kind: string | undefined; status: number | null }): boolean {
  return kind === undefined ? UNCOUNTED_STATUSES.has(status) : UNCOUNTED_KINDS.has(kind);
}

function isGivenUpByClient({ ending }: Outcome): boolean {
  return ending === 'client_left' || ending === 'out_of_time';
}

/**
 * Returns the counts that an answer adds to its endpoint; undefined if no answer began.
 * @param waitedMs time spent on endpoints that were tried before
 */
function sumsOfAnswer(outcome: Outcome, waitedMs: number): EndpointSums | undefined {
  const { ending, latencyMs } = outcome;
  if (latencyMs === null || ending === 'refused_before') return undefined;
  const sums = { ...noSums(), requests: 1, failures: ending === 'broke_off' ? 1 : 0 };
  addTo(sums.latencyMs, bucketOf(latencyMs - waitedMs), 1);
  const throughput = throughputOf(outcome);
  if (throughput !== undefined) addTo(sums.throughput, bucketOf(throughput), 1);
  return sums;
}

/**
 * Returns the speed in tokens per second; undefined if the answer is incomplete or too short, or if its tokens were
 * only estimated.
 */
function throughputOf({
  ending,
  estimated,
  completionTokens,
  generationTimeMs: writingMs,
}: Outcome): number | undefined {
  if (ending !== 'complete' || estimated || completionTokens < MIN_TOKENS) return undefined;
  if (writingMs === null || writingMs < MIN_WRITING_MS) return undefined;
  return completionTokens / (writingMs / 1_000);
}

function isAnswer(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299;
}
