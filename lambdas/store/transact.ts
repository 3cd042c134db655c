import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { GatewayError } from '../platform/errors.ts';
import { itemOfFailedCondition, type Item, type Table } from './table.ts';

export type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

export type TransactOutcome =
  | { committed: true }
  /** `failed[i]` is set where the condition of item i failed; `item` is the stored item, if there was one. */
  | { committed: false; failed: ({ item: Item | undefined } | undefined)[] };

/** Reasons which say "not now": nothing was written, and the same transaction may succeed a moment later. */
const TRANSIENT_REASONS = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);
const TRANSIENT_ERRORS = new Set([
  'TransactionInProgressException',
  'TransactionConflictException',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

const DEFAULT_ATTEMPTS = 12;
const BASE_DELAY_MS = 8;
const MAX_DELAY_MS = 400;

/** Thrown when a write met conflicts or throttling on every attempt; nothing was written. */
export class StoreBusyError extends GatewayError {
  override name = 'StoreBusyError';

  constructor(cause?: unknown) {
    super('provider_overloaded', 'The gateway is busy recording spending. Try again in a second.', {
      headers: { 'retry-after': '1' },
      cause,
    });
  }
}

/**
 * Writes all items or none.
 *
 * Guarantee: one client token names one set of parameters, so a reply lost after the write is answered by the SDK's
 * retry without a second effect (for ten minutes; callers put a condition on the write for what comes later).
 * Conflicts and throttling are retried with full jitter; a failed condition is an outcome, not an error.
 * @param options.attempts how often a busy table is tried: more for what must get through, fewer for what can wait
 * @throws {StoreBusyError} after the last attempt.
 */
export async function transact(
  table: Table,
  items: TransactItems,
  options: { attempts?: number | undefined } = {},
): Promise<TransactOutcome> {
  const attempts = options.attempts ?? DEFAULT_ATTEMPTS;
  const command = { TransactItems: items, ClientRequestToken: randomUUID() };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await table.documents.send(new TransactWriteCommand(command));
      return { committed: true };
    } catch (error) {
      const failed = failedConditions(error);
      if (failed) return { committed: false, failed };
      if (!isTransient(error)) throw error;
      if (attempt >= attempts) throw new StoreBusyError(error);
    }
    // A cancelled transaction has spent its token: the retry is a new set as far as DynamoDB is concerned.
    command.ClientRequestToken = randomUUID();
    await sleep(jitteredDelayMs(attempt));
  }
}

/** Runs a single-item write again while another transaction holds the item. */
export async function retryConflicts<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (attempt >= DEFAULT_ATTEMPTS) throw new StoreBusyError(error);
    }
    await sleep(jitteredDelayMs(attempt));
  }
}

/** The single write's counterpart of a failed condition; `Item` is the stored item, raw, where it was asked for. */
export function isConditionFailure(error: unknown): error is ConditionalCheckFailedException {
  return error instanceof ConditionalCheckFailedException;
}

function failedConditions(error: unknown): ({ item: Item | undefined } | undefined)[] | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = error.CancellationReasons ?? [];
  if (!reasons.some((reason) => reason.Code === 'ConditionalCheckFailed')) return undefined;
  return reasons.map((reason) =>
    reason.Code === 'ConditionalCheckFailed' ? { item: itemOfFailedCondition(reason.Item) } : undefined,
  );
}

function isTransient(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) {
    const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None');
    return codes.length > 0 && codes.every((code) => code === 'None' || TRANSIENT_REASONS.has(code));
  }
  return error instanceof Error && TRANSIENT_ERRORS.has(error.name);
}

function jitteredDelayMs(attempt: number): number {
  return Math.random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt);
}
