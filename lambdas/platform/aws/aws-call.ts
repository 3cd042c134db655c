/**
 * A call of a service of AWS, as the store and the queues make it (aws-json.ts signs and sends it).
 *
 * Guarantee: as the SDK in its standard mode, a call that was throttled, failed in the service, or got no reply in time is
 * made again, four times at most, with back-off and jitter. So a call may be carried out although its reply was lost: callers
 * make it safe by a token or a condition, and a refusal says whether an attempt before it had no reply (`isUncertain`).
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { ageMs, thisMoment } from '../clock.ts';
import { ServiceError } from '../errors.ts';

export interface CallOptions {
  /** The whole call is given up after this time, whatever has become of it. */
  timeoutMs?: number;
}

/** Makes a call. @throws {AwsError} what the service answered; an Error of the connection where it did not */
export type AwsCall = <Output>(operation: string, input: object, options?: CallOptions) => Promise<Output>;

/** A service has refused a call; `name` is its code, for example `ThrottlingException`. */
export class AwsError extends ServiceError {
  readonly status: number;
  /** The body of the answer. */
  readonly details: Record<string, unknown>;
  /** An attempt of the same call got no answer that says what became of it: it may have been carried out, or may be yet. */
  isUncertain: boolean;

  constructor(status: number, details: Record<string, unknown>) {
    const { message = details['Message'] } = details;
    super(typeof message === 'string' ? message : `The service answered with status ${status}`);
    this.name = errorCode(details['__type']);
    this.status = status;
    this.details = details;
    this.isUncertain = status >= 500;
  }

  get isPassing(): boolean {
    return isTransientFailure(this);
  }
}

/** Whether a call that failed in this way may have been carried out all the same, or may be yet. */
export function isUncertain(error: unknown): boolean {
  return !(error instanceof AwsError) || error.isUncertain;
}

/** A service gave no answer; `code` is what Node says of the connection, where it was the connection. */
export class NoReplyError extends ServiceError {
  override name = 'NoReplyError';
  readonly isPassing = true;
  readonly code: string | undefined;

  constructor(message: string, cause?: NodeJS.ErrnoException) {
    super(message, { cause });
    this.code = cause?.code;
  }
}

const MAX_CALL_ATTEMPTS = 4;
const BASE_CALL_DELAY_MS = 25;
const MAX_CALL_DELAY_MS = 1_000;

/** Codes that say "not now". */
const TRANSIENT = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'TransactionInProgressException',
  'InternalServerError',
]);

/** The time that a call has. The signal ends what waits, for a connection too; the wall clock says more once a machine was suspended. */
export class CallTime {
  readonly signal: AbortSignal | undefined;
  readonly #begunAt = thisMoment();
  readonly #timeoutMs: number;

  /** Begins now. */
  constructor({ timeoutMs = Infinity }: CallOptions) {
    this.#timeoutMs = timeoutMs;
    this.signal = timeoutMs === Infinity ? undefined : AbortSignal.timeout(timeoutMs);
  }

  get isOver(): boolean {
    return this.signal !== undefined && (this.signal.aborted || ageMs(this.#begunAt) >= this.#timeoutMs);
  }
}

/** Makes a call, and makes it again while it may succeed a moment later, and there is time. */
export async function retryTransient<Output>(attempt: () => Promise<Output>, time = new CallTime({})): Promise<Output> {
  let wasUncertain = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      wasUncertain ||= isUncertain(error);
      if (error instanceof AwsError) error.isUncertain = wasUncertain;
      if (attempts >= MAX_CALL_ATTEMPTS || time.isOver || !isTransientFailure(error)) throw error;
    }
    const delayMs = Math.random() * Math.min(MAX_CALL_DELAY_MS, BASE_CALL_DELAY_MS * 2 ** attempts);
    await sleep(delayMs, undefined, { signal: time.signal });
  }
}

/** Whether the same call may succeed a moment later: the service says so, is out of order, or said nothing at all. */
function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof AwsError)) return true;
  return error.status >= 500 || error.status === 429 || TRANSIENT.has(error.name);
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException`. */
function errorCode(type: unknown): string {
  return typeof type === 'string' ? type.slice(type.lastIndexOf('#') + 1) : 'AwsError';
}
