/**
 * Retries calls of AWS services that failed temporarily.
 *
 * Weakness: if an attempt had its effect and only its response was lost, the retry may have the effect again. To
 * prevent that, use a token or a condition.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { ageMs, thisMoment } from '../clock.ts';
import { ServiceError } from '../errors.ts';

export interface CallOptions {
  timeoutMs?: number;
}

/**
 * Calls an operation of a service.
 * @throws {AwsError} an error of the service
 * @throws {Error} if the service did not respond
 */
export type AwsCall = <Output>(operation: string, input: object, options?: CallOptions) => Promise<Output>;

/**
 * Thrown if a service answered with an error. `name` is the error code, for example `ThrottlingException`, or
 * `AwsError` if the answer has none.
 */
export class AwsError extends ServiceError {
  readonly status: number;
  readonly details: Record<string, unknown>;
  /** Whether an attempt got no conclusive response, so that it may have had its effect, or may still have it. */
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

/** Thrown if no usable response of a service arrived. */
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
  // SNS throttles with the next two codes.
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
 * Time limit of a call with all its attempts. It is also measured by the wall clock, because the signal's timer may
 * stand still while the machine is suspended.
 */
export class CallTime {
  readonly signal: AbortSignal | undefined;
  readonly #begunAt = thisMoment();
  readonly #timeoutMs: number;

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

function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof AwsError)) return true;
  return error.status >= 500 || error.status === 429 || TRANSIENT.has(error.name);
}

/** Returns the name in an error type such as `com.amazonaws.dynamodb.v20120810#ThrottlingException`. */
function errorCode(type: unknown): string {
  return typeof type === 'string' ? type.slice(type.lastIndexOf('#') + 1) : 'AwsError';
}
