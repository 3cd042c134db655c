/**
 * Retries calls of AWS services that failed temporarily. aws-json.ts, aws-query.ts and aws-bucket.ts sign the calls,
 * and use these retries.
 *
 * Guarantee: a call is retried if the service throttled it, failed, or did not respond in time. There are up to four
 * attempts. As in the standard mode of AWS's SDK, the maximum of the random waits between them doubles each time. If an
 * attempt had its effect and only its response was lost, the retry may have the effect again. Callers to which that
 * matters prevent it with a token or a condition. The field `isUncertain` of an error shows whether an attempt got no
 * conclusive response.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { ageMs, thisMoment } from '../clock.ts';
import { ServiceError } from '../errors.ts';

export interface CallOptions {
  /** Time after which the whole call is abandoned, in ms. */
  timeoutMs?: number;
}

/**
 * Calls an operation of a service.
 * @throws {AwsError} an error of the service
 * @throws {Error} if the service did not respond
 */
export type AwsCall = <Output>(operation: string, input: object, options?: CallOptions) => Promise<Output>;

/**
 * Thrown if a service answered a call with an error. `name` is the error code, for example `ThrottlingException`, or
 * `AwsError` if the answer has none.
 */
export class AwsError extends ServiceError {
  readonly status: number;
  /** Fields of the response's body, as far as they were read. */
  readonly details: Record<string, unknown>;
  /**
   * Whether an attempt of this call got no conclusive response. The attempt may have had its effect, or may still have
   * it.
   */
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

/** Returns whether a call that ended with this error may have had its effect, or may still have it. */
export function isUncertain(error: unknown): boolean {
  return !(error instanceof AwsError) || error.isUncertain;
}

/** Thrown if no usable response of a service arrived. `code` is Node's error code, if the connection failed. */
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

/** Error codes after which the same call may succeed later. */
const TRANSIENT = new Set([
  'ThrottlingException',
  // SNS throttles with these codes.
  'Throttling',
  'Throttled',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'TransactionInProgressException',
  'InternalServerError',
  // S3 sends this code if the bytes of a file stopped arriving.
  'RequestTimeout',
]);

/**
 * Time limit of a call with all its attempts. Its signal also ends the wait for a connection. Elapsed time is measured
 * both by the wall clock and by the signal's timer, because the timer may stand still while the machine is suspended.
 */
export class CallTime {
  readonly signal: AbortSignal | undefined;
  readonly #begunAt = thisMoment();
  readonly #timeoutMs: number;

  /** Starts the time limit. */
  constructor({ timeoutMs = Infinity }: CallOptions) {
    this.#timeoutMs = timeoutMs;
    this.signal = timeoutMs === Infinity ? undefined : AbortSignal.timeout(timeoutMs);
  }

  get isOver(): boolean {
    return this.signal !== undefined && (this.signal.aborted || ageMs(this.#begunAt) >= this.#timeoutMs);
  }
}

/**
 * Sends a call, and retries it up to three times, if a retry may succeed and time remains.
 * @throws {Error} the error of the last attempt, or an AbortError if the time ends between attempts
 */
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

/**
 * Returns whether the same call may succeed later: the error code or status is that of a temporary failure, or no
 * response arrived.
 */
function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof AwsError)) return true;
  return error.status >= 500 || error.status === 429 || TRANSIENT.has(error.name);
}

/** Returns the name in an error type such as `com.amazonaws.dynamodb.v20120810#ThrottlingException`. */
function errorCode(type: unknown): string {
  return typeof type === 'string' ? type.slice(type.lastIndexOf('#') + 1) : 'AwsError';
}
