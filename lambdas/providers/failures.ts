/**
 * Failures of providers as refusals of the gateway. Whatever goes wrong between our request and the end of an answer is
 * the provider's failure, never our 500: also what nobody has foreseen.
 */

import { GatewayError, kindOfStatus, type ErrorKind } from '../platform/errors.ts';
import { describeError, log, type LogFields } from '../platform/logger.ts';
import { classifyError, type ClassifiedError } from './faults/classify.ts';
import type { FaultKind } from './faults/fault-rule.ts';
import { overflowWords } from './faults/overflow-words.ts';
import { retryAfterSeconds } from './faults/retry-after.ts';
import { errorInText, statedError, type StatedError } from './faults/stated-error.ts';
import { redact, type Secrets } from './redact.ts';
import { UpstreamError } from './http/upstream-error.ts';
import type { UpstreamResponse } from './http/upstream-http.ts';

export class ProviderFailure extends GatewayError {
  override name = 'ProviderFailure';
  override readonly failedProvider: string;
  /** Another endpoint may do better; otherwise the request itself is at fault, or everything has been tried. */
  readonly mayTryAnother: boolean;
  /** It says nothing of how the endpoint is doing: what was sent is at fault, at least here. */
  readonly isRequestsFault: boolean;
  /** The provider began to answer, then was silent for longer than we wait: it may have been working, and charge. */
  readonly wasSilent: boolean;
  /** The provider made an answer that is larger than the gateway reads, and may bill it: no other endpoint is paid for one more. */
  readonly wasAnswered: boolean;
  /** Kind of the provider's error; undefined where it did not answer, or answered nonsense. */
  readonly fault: FaultKind | undefined;
  /** The status that the provider answered with, or that its error stands for; undefined where it did not answer. */
  readonly providerStatus: number | undefined;
  /**
   * The failure in one word, for the record: the kind of error that its status stands for, or why there was no answer. It never
   * has the provider's words, which may repeat the prompt.
   */
  readonly word: string;

  constructor(
    kind: ErrorKind,
    message: string,
    more: {
      provider: FailedProvider;
      status?: number;
      fault?: FaultKind;
      headers?: Record<string, string>;
      mayTryAnother?: boolean;
      isRequestsFault?: boolean;
      wasSilent?: boolean;
      wasAnswered?: boolean;
      cause?: unknown;
    },
  ) {
    const metadata = {
      provider_name: more.provider.name,
      ...(more.status === undefined ? {} : { provider_status: more.status }),
    };
    super(kind, message, { metadata, headers: more.headers ?? {}, cause: more.cause });
    this.failedProvider = more.provider.name;
    this.mayTryAnother = more.mayTryAnother ?? true;
    this.isRequestsFault = more.isRequestsFault ?? !this.mayTryAnother;
    this.wasSilent = more.wasSilent ?? false;
    this.wasAnswered = more.wasAnswered ?? false;
    this.fault = more.fault;
    this.providerStatus = more.status;
    this.word = wordOf(kind, more);
  }

  /** Only the operator can end it: another try at the same endpoint fails as well, and somebody has to be told. */
  get isOperators(): boolean {
    return this.fault === 'operator' || this.fault === 'catalog';
  }
}

function wordOf(
  kind: ErrorKind,
  { status, fault, cause }: { status?: number; fault?: FaultKind; cause?: unknown },
): string {
  const byStatus = status === undefined ? undefined : kindOfStatus(status);
  if (fault === undefined) return byStatus ?? (cause instanceof UpstreamError ? cause.word : 'malformed');
  const { statuses, word } = wordsOfFaults[fault];
  return byStatus !== undefined && statuses.includes(status!) ? byStatus : (word ?? byStatus ?? kind);
}

/** The word of each fault for the record, unless the status is one that says as much. */
const wordsOfFaults: Record<FaultKind, { statuses: readonly number[]; word: ErrorKind | undefined }> = {
  request: { statuses: [400], word: 'invalid_request' },
  elsewhere: { statuses: [400], word: 'invalid_request' },
  reasoning: { statuses: [400], word: 'invalid_request' },
  context: { statuses: [], word: 'context_length_exceeded' },
  size: { statuses: [], word: 'payload_too_large' },
  operator: { statuses: [401, 402, 403, 404], word: 'permission_denied' },
  catalog: { statuses: [], word: 'not_found' },
  rate: { statuses: [], word: 'rate_limit_exceeded' },
  overload: { statuses: [], word: 'provider_overloaded' },
  timeout: { statuses: [], word: 'timeout' },
  failure: { statuses: [], word: undefined },
};

/** The loggable part of a failure: the client's status, the provider's own, its kind, and what went wrong. */
export function describeFailure({ cause, kind, status, providerStatus, word }: ProviderFailure): LogFields {
  const statuses = providerStatus === undefined ? { status } : { status, providerStatus };
  if (cause instanceof UpstreamError) {
    const { failure } = cause;
    return { ...statuses, kind, reason: word === failure ? failure : `${failure} ${word}` };
  }
  return { ...statuses, kind, ...(cause === undefined ? {} : describeError(cause)) };
}

/** Logs a failure in the middle of an answer. A failure before the first event is logged where the next candidate is tried. */
export function logBrokenAnswer(error: unknown, about: LogFields): void {
  if (error instanceof ProviderFailure) {
    log('warn', 'provider broke off its answer', { ...about, ...describeFailure(error) });
  }
}

/** The provider as a failure names it, and what its words must not reveal. */
export interface FailedProvider extends Secrets {
  /** Its id in the catalog, by which its errors are read. */
  id: string;
  name: string;
}

/**
 * The refusal of an upstream that answered with an error status.
 * @param text of its body
 */
export function refusalOfResponse(
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  text: string,
  provider: FailedProvider,
): ProviderFailure {
  const error = errorInText(text);
  const { 'x-amzn-errortype': exception } = headers;
  const codes = typeof exception === 'string' ? statedError({ __type: exception }).codes : [];
  return failureOfError({ ...error, codes: [...codes, ...error.codes] }, { httpStatus: status, headers }, provider);
}

/**
 * An error instead of an answer, or in the middle of one.
 * @param error what the provider wrote there
 */
export function errorInAnswer(
  error: unknown,
  headers: UpstreamResponse['headers'],
  provider: FailedProvider,
): ProviderFailure {
  const stated = typeof error === 'string' ? errorInText(error) : statedError(error);
  return failureOfError(stated, { httpStatus: undefined, headers }, provider);
}

interface ErrorCircumstances {
  httpStatus: number | undefined;
  headers: UpstreamResponse['headers'];
}

/** Statuses that errors inside of answers stand for, where they name none themselves. */
const statusesOfFaults: Record<FaultKind, number> = {
  request: 400,
  elsewhere: 400,
  context: 400,
  reasoning: 400,
  size: 413,
  operator: 403,
  catalog: 404,
  rate: 429,
  overload: 529,
  timeout: 504,
  failure: 500,
};

function failureOfError(
  error: StatedError,
  { httpStatus, headers }: ErrorCircumstances,
  provider: FailedProvider,
): ProviderFailure {
  const classified = classifyError(error, { providerId: provider.id, httpStatus });
  const { fault, status = statusesOfFaults[fault] } = classified;
  const otherwise = httpStatus === undefined ? 'The provider stopped with an error' : UNSAID_REFUSAL;
  const words = redact(error.messages[0] ?? otherwise, provider);
  const seconds = retryAfterSeconds(headers, error.retryDelay, fault === 'rate');
  const advice: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return failureOfFault(classified, words, { provider, status, fault, headers: advice });
}

/** Stands in the place of a provider's words where it has none. */
const UNSAID_REFUSAL = 'The provider refused the request without saying why';

function failureOfFault(
  classified: ClassifiedError,
  words: string,
  more: { provider: FailedProvider; status: number; fault: FaultKind; headers: Record<string, string> },
): ProviderFailure {
  const { provider, status, fault } = more;
  const ofRequest = { ...more, mayTryAnother: false, isRequestsFault: true };
  switch (fault) {
    // The request itself caused these: every endpoint would give the same answer, unless it is what only this home lacks.
    case 'request':
    case 'reasoning':
      return new ProviderFailure('invalid_request', words, ofRequest);
    case 'elsewhere':
      return new ProviderFailure('invalid_request', words, { ...ofRequest, mayTryAnother: true });
    case 'context':
      return new ProviderFailure('context_length_exceeded', overflowWords(classified, words), ofRequest);
    case 'size':
      return new ProviderFailure('payload_too_large', words, ofRequest);
    case 'rate':
      return new ProviderFailure('rate_limit_exceeded', words, more);
    case 'timeout':
      return new ProviderFailure('timeout', words, more);
    case 'overload':
      return new ProviderFailure('provider_overloaded', words, more);
    case 'failure':
      return new ProviderFailure('provider_unavailable', words, more);
    // Its words may name the operator's account.
    case 'operator':
      return new ProviderFailure(
        'provider_unavailable',
        `${provider.name} refused the gateway's own request (status ${status}). Tell the gateway's operator.`,
        { provider, status, fault },
      ).discourageRetry();
    case 'catalog':
      return new ProviderFailure(
        'provider_unavailable',
        `${provider.name} does not have this model (status ${status}). Use another model, and tell the gateway's operator.`,
        { provider, status, fault },
      ).discourageRetry();
  }
}

/** What was thrown while a provider answered, as its failure. */
export function failureOf(error: unknown, provider: FailedProvider): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (!(error instanceof UpstreamError)) {
    return new ProviderFailure('provider_unavailable', `${provider.name} sent an answer that cannot be read.`, {
      provider,
      cause: error,
    });
  }
  const message = `${error.message} (${provider.name}).`;
  const { failure } = error;
  if (failure !== 'connect_timeout' && failure !== 'first_byte_timeout' && failure !== 'idle_timeout') {
    const mayTryAnother = failure !== 'aborted';
    const refusal = new ProviderFailure('provider_unavailable', message, {
      provider,
      mayTryAnother,
      wasAnswered: failure === 'too_large',
      cause: error,
    });
    return refusal.wasAnswered ? refusal.discourageRetry() : refusal;
  }
  // A retry would wait, and perhaps pay, as long again. Only a provider that sent its headers can be at work.
  const wasSilent = failure === 'idle_timeout';
  return new ProviderFailure('timeout', message, { provider, wasSilent, cause: error }).discourageRetry();
}
