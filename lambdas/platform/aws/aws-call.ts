/**
 * A call of an AWS service by the store or a queue (aws-json.ts signs and sends it).
 *
 * Guarantee: a call that was throttled, failed in the service, or had no reply in time is retried. As in the SDK's
 * standard mode, there are up to four attempts in total, with back-off and jitter. So a call may be carried out
 * although its reply was lost. Callers make it safe with a token or a condition, and an error reports whether an
 * earlier attempt had no reply (`isUncertain`).
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { ageMs, thisMoment } from '../clock.ts';
import { ServiceError } from '../errors.ts';

export interface CallOptions {
  /** The whole call is abandoned after this time, whatever its state. */
  timeoutMs?: number;
}

/**
 * Makes a call.
 * @throws {AwsError} the error of the service; an Error of the connection without a response
 */
export type AwsCall = <Output>(operation: string, input: object, options?: CallOptions) => Promise<Output>;

/** A service has rejected a call. `name` is its code, for example `ThrottlingException`. */
export class AwsError extends ServiceError {
  readonly status: number;
  /** The body of the response. */
  readonly details: Record<string, unknown>;
  /** An attempt of the same call had no conclusive response. It may have been carried out, or may still be. */
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

/** Whether a call with this error may have been carried out, or may still be. */
export function isUncertain(error: unknown): boolean {
  return !(error instanceof AwsError) || error.isUncertain;
}

/** A service did not respond. `code` is Node's code, if the connection failed. */
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

/** Codes that mean "not now". */
const TRANSIENT = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'TransactionInProgressException',
  'InternalServerError',
]);

/**
 * The time limit of a call. The signal ends every wait, also for a connection. After a suspension of the machine, only
 * the wall clock shows how much time has passed.
 */
export class CallTime {
  readonly signal: AbortSignal | undefined;
  readonly #begunAt = thisMoment();
  readonly #timeoutMs: number;

  /** Starts now. */
  constructor({ timeoutMs = Infinity }: CallOptions) {
    this.#timeoutMs = timeoutMs;
    this.signal = timeoutMs === Infinity ? undefined : AbortSignal.timeout(timeoutMs);
  }

  get isOver(): boolean {
    return this.signal !== undefined && (this.signal.aborted || ageMs(this.#begunAt) >= this.#timeoutMs);
  }
}

/** Makes a call, and retries it while it may succeed and time remains. */
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

/** Whether the same call may succeed a moment later: the service reports that, is out of order, or did not respond. */
function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof AwsError)) return true;
  return error.status >= 500 || error.status === 429 || TRANSIENT.has(error.name);
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException`. */
function errorCode(type: unknown): string {
  return typeof type === 'string' ? type.slice(type.lastIndexOf('#') + 1) : 'AwsError';
}
