import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsError, isUncertain, NoReplyError, type CallOptions } from '../../platform/aws/aws-call.ts';
import { ageMs, thisMoment } from '../../platform/clock.ts';
import { GatewayError } from '../../platform/errors.ts';
import { writeMetrics } from '../../platform/metrics.ts';
import { fromAttributes, type Attributes } from './attribute-values.ts';
import { requestOf, transactWriteItems, writeItem } from './calls.ts';
import type { Item, Table } from './table.ts';
import type { Write } from './writes.ts';

/** Writes of a transaction, by name. Undefined writes are skipped. */
export type Writes<Name extends string = string> = Partial<Record<Name, Write | undefined>>;

/** A write's condition that was not true. `item` is the stored item, if it exists. */
export interface FailedCondition {
  item: Item | undefined;
}

export type TransactOutcome<Name extends string = string> =
  | { committed: true }
  | {
      committed: false;
      failed: { [Of in Name]?: FailedCondition };
      /** Whether an attempt had no conclusive reply, so that it may have made the writes, or may still make them. */
      isUncertain: boolean;
    };

/** Codes of cancellation reasons, and names of errors, for a busy partition or table. */
const THROTTLING = [
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
];
/** Cancellation reasons after which the same transaction may succeed a moment later. */
const TRANSIENT_REASONS = new Set(['TransactionConflict', ...THROTTLING]);
const TRANSIENT_ERRORS = new Set(['TransactionInProgressException', 'TransactionConflictException', ...THROTTLING]);

/** Number of attempts while the table is busy. */
export const DEFAULT_ATTEMPTS = 12;
const BASE_CONFLICT_DELAY_MS = 8;
const MAX_CONFLICT_DELAY_MS = 400;

/**
 * Thrown if every attempt failed because of conflicts, throttling or concurrent changes. Nothing was written, except
 * earlier parts of a batch, unless `isUncertain` is true.
 */
export class StoreBusyError extends GatewayError {
  override name = 'StoreBusyError';
  /** Names of the writes that failed because of conflicts or throttling at the last attempt; empty if unknown. */
  readonly conflicting: readonly string[];
  /** Whether an attempt may have made the writes, as in `TransactOutcome`. */
  readonly isUncertain: boolean;
  /** Whether the error of the last attempt shows throttling. */
  readonly isThrottled: boolean;

  constructor(cause?: unknown, conflicting: readonly string[] = [], wasUncertain = false) {
    super('provider_overloaded', 'The gateway is busy recording spending. Try again in a second.', { cause });
    this.conflicting = conflicting;
    this.isUncertain = wasUncertain;
    this.isThrottled = isThrottling(cause);
  }
}

/**
 * Writes all items or none.
 *
 * Guarantee: if the reply is lost after the write, the call's own retry returns the result without a second effect.
 * Conflicts and throttling are retried. Add a condition to writes of a transaction that may be repeated.
 * Weakness: an attempt without a reply may still make its writes after the condition of a later attempt has failed;
 * `isUncertain` is then true.
 * @throws {StoreBusyError} after the last attempt
 * @throws {Error} if the transaction fails in another way; its reply may have been lost
 */
export async function transact<Name extends string>(
  table: Table,
  writes: Writes<Name>,
  options: { attempts?: number | undefined } = {},
): Promise<TransactOutcome<Name>> {
  let conflicts = 0;
  try {
    const onConflict = () => (conflicts += 1);
    return await transactInTurn(table, writes, { attempts: options.attempts ?? DEFAULT_ATTEMPTS, onConflict });
  } finally {
    if (conflicts > 0) writeMetrics({ Conflicts: conflicts });
  }
}

async function transactInTurn<Name extends string>(
  table: Table,
  writes: Writes<Name>,
  { attempts, onConflict }: { attempts: number; onConflict: () => void },
): Promise<TransactOutcome<Name>> {
  const named = Object.entries(writes).filter((entry): entry is [Name, Write] => entry[1] !== undefined);
  const requests = named.map(([, write]) => requestOf(write));
  let wasUncertain = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Every attempt has a new token, because a cancelled transaction has used up its token.
      await transactWriteItems(table, requests, randomUUID());
      return { committed: true };
    } catch (error) {
      wasUncertain ||= isUncertain(error);
      const names = named.map(([name]) => name);
      const failed = failedConditions(error, names);
      if (failed) return { committed: false, failed, isUncertain: wasUncertain };
      if (!isTransientReason(error)) throw error;
      const conflicting = conflictingWrites(error, names);
      if (conflicting.length > 0) onConflict();
      if (attempt >= attempts) throw new StoreBusyError(error, conflicting, wasUncertain);
    }
    await pauseAfter(attempt);
  }
}

/**
 * Makes one write. Retries while a transaction locks the item, or the table is throttled.
 * @param options.timeoutMs time after which the write is abandoned; a request sent by then may still be carried out
 * @returns undefined on success, otherwise the failed condition
 * @throws {StoreBusyError} after the last attempt
 * @throws {Error} if the write fails in another way, or exceeds the time limit
 */
export async function writeAlone(
  table: Table,
  write: Write,
  { timeoutMs }: CallOptions = {},
): Promise<FailedCondition | undefined> {
  const begunAt = thisMoment();
  const writeOnce = () => {
    const leftMs = timeoutMs === undefined ? undefined : timeoutMs - ageMs(begunAt);
    if (leftMs !== undefined && leftMs <= 0) throw new NoReplyError('The write was abandoned: its deadline has passed');
    return writeItem(table, write, leftMs === undefined ? {} : { timeoutMs: Math.ceil(leftMs) });
  };
  try {
    await retryConflicts(writeOnce);
    return undefined;
  } catch (error) {
    if (!(error instanceof AwsError) || error.name !== 'ConditionalCheckFailedException') throw error;
    return { item: itemIn(error.details) };
  }
}

/**
 * Makes one write of data that may be lost. An addition may be made twice. After an error, the write may have been
 * executed.
 */
export async function writeWithin(table: Table, timeoutMs: number, write: Write): Promise<void> {
  await writeItem(table, write, { timeoutMs });
}

/**
 * Calls `write`, and repeats the call while a transaction locks the item, or the table is throttled.
 * @throws {StoreBusyError} after the last attempt
 * @throws {Error} if the write fails in another way
 */
export async function retryConflicts<Result>(write: () => Promise<Result>): Promise<Result> {
  let wasUncertain = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isTransientReason(error)) throw error;
      wasUncertain ||= isUncertain(error);
      if (attempt >= DEFAULT_ATTEMPTS) throw new StoreBusyError(error, [], wasUncertain);
    }
    await pauseAfter(attempt);
  }
}

function failedConditions<Name extends string>(
  error: unknown,
  names: Name[],
): { [Of in Name]?: FailedCondition } | undefined {
  // DynamoDB returns the reasons in the order of the writes.
  const failed = reasonsOf(error).flatMap((reason, index) =>
    reason.Code === 'ConditionalCheckFailed' ? [[names[index]!, { item: itemIn(reason) }] as const] : [],
  );
  return failed.length > 0 ? (Object.fromEntries(failed) as { [Of in Name]?: FailedCondition }) : undefined;
}

function conflictingWrites(error: unknown, names: string[]): string[] {
  return reasonsOf(error).flatMap(({ Code: code }, index) =>
    TRANSIENT_REASONS.has(code ?? '') ? [names[index]!] : [],
  );
}

interface CancellationReason {
  Code?: string;
  Item?: Attributes;
}

/** Returns the reasons of a cancelled transaction, one for each write; empty for other errors. */
function reasonsOf(error: unknown): CancellationReason[] {
  if (!(error instanceof AwsError) || error.name !== 'TransactionCanceledException') return [];
  return (error.details['CancellationReasons'] ?? []) as CancellationReason[];
}

function itemIn({ Item: item }: { Item?: Attributes }): Item | undefined {
  return item && fromAttributes(item);
}

function isTransientReason(error: unknown): boolean {
  const reasons = reasonsOf(error);
  if (reasons.length > 0)
    return reasons.every(({ Code: code = 'None' }) => code === 'None' || TRANSIENT_REASONS.has(code));
  return error instanceof Error && TRANSIENT_ERRORS.has(error.name);
}

function isThrottling(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return [error.name, ...reasonsOf(error).map(({ Code: code = '' }) => code)].some((code) => THROTTLING.includes(code));
}

/** Waits for a random time. `attempt` is counted from 1. */
export async function pauseAfter(attempt: number): Promise<void> {
  await sleep(Math.random() * Math.min(MAX_CONFLICT_DELAY_MS, BASE_CONFLICT_DELAY_MS * 2 ** attempt));
}
