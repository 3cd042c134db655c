/** Failures between the gateway's request to a provider and the end of the answer. */

import { GatewayError, kindOfStatus, type ErrorKind } from '../platform/errors.ts';
import { describeError, log, type LogFields } from '../platform/logger.ts';
import { alarmOperator } from '../platform/operator-alarm.ts';
import { classifyError, type ClassifiedError } from './faults/classify.ts';
import type { FaultKind } from './faults/fault-rule.ts';
import { overflowMessage } from './faults/overflow-message.ts';
import { retryAfterSeconds } from './faults/retry-after.ts';
import { statedError, type StatedError } from './faults/stated-error.ts';
import { redact, type Secrets } from './redact.ts';
import { UpstreamError } from './http/upstream-error.ts';
import { isRefusedCredential } from './authorization/refused-credential.ts';
import type { UpstreamResponse } from './http/upstream-http.ts';

export class ProviderFailure extends GatewayError {
  override name = 'ProviderFailure';
  override readonly failedProvider: string;
  /** Whether the request may be sent to another endpoint of the model. */
  readonly mayTryAnother: boolean;
  /** Whether the request caused the failure (at least at this endpoint), or the gateway aborted the request. */
  readonly isRequestsFault: boolean;
  /** Whether the provider began its response, and then fell silent. It may charge for the request. */
  readonly wasSilent: boolean;
  /** Whether the provider's answer exceeds the gateway's size limit. The provider may bill this answer. */
  readonly wasAnswered: boolean;
  /** Kind of the error; undefined if it is unknown. */
  readonly fault: FaultKind | undefined;
  /** HTTP status of the response, or the status that its error implies; undefined without a reported error. */
  readonly providerStatus: number | undefined;
  /** The provider's id of the request, for its support; undefined if the response has none. */
  readonly providerRequestId: string | undefined;
  /** Code in the request's record. It has no part of the provider's message, which may repeat the prompt. */
  readonly word: string;

  constructor(
    kind: ErrorKind,
    message: string,
    more: {
      provider: FailedProvider;
      status?: number;
      providerRequestId?: string | undefined;
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
    this.providerRequestId = more.providerRequestId;
    this.word = wordOf(kind, more);
  }

  /** Whether only the operator can fix the cause. */
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
  const { statuses, word } = faultWords[fault];
  return byStatus !== undefined && statuses.includes(status!) ? byStatus : (word ?? byStatus ?? kind);
}

/** Codes for the request's record. If the provider's status is in `statuses`, the status determines the code. */
const faultWords: Record<FaultKind, { statuses: readonly number[]; word: ErrorKind | undefined }> = {
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

/** Returns the log fields of a failure. */
export function describeFailure(failure: ProviderFailure): LogFields {
  const { cause, kind, status, providerStatus, providerRequestId, word } = failure;
  const statuses = {
    status,
    ...(providerStatus === undefined ? {} : { providerStatus }),
    ...(providerRequestId === undefined ? {} : { providerRequestId }),
  };
  if (cause instanceof UpstreamError) {
    const { failure: code } = cause;
    return { ...statuses, kind, reason: word === code ? code : `${code} ${word}` };
  }
  return { ...statuses, kind, ...(cause === undefined ? {} : describeError(cause)) };
}

/** Logs a provider's failure in the middle of an answer, and alerts the operator if needed. Ignores other errors. */
export function logBrokenAnswer(error: unknown, about: LogFields & { provider: string }): void {
  if (!(error instanceof ProviderFailure)) return;
  const fields = { ...about, ...describeFailure(error) };
  log('warn', 'provider broke off its answer', fields);
  alarmOperator(error, fields);
}

/** The provider that failed, with the secrets that error messages must not reveal. */
export interface FailedProvider extends Secrets {
  /** Provider id in the catalog. It selects the rules that classify the provider's errors. */
  id: string;
  name: string;
}

/** Returns the failure for a response with an error status. */
export function refusalOfResponse(
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  text: string,
  provider: FailedProvider,
): ProviderFailure {
  const error = statedError(text);
  const { 'x-amzn-errortype': exception } = headers;
  const codes = typeof exception === 'string' ? statedError({ __type: exception }).codes : [];
  return failureOfError({ ...error, codes: [...codes, ...error.codes] }, { httpStatus: status, headers }, provider);
}

/** Returns the failure for an error in a response with a success status. */
export function errorInAnswer(
  error: unknown,
  headers: UpstreamResponse['headers'],
  provider: FailedProvider,
): ProviderFailure {
  return failureOfError(statedError(error), { httpStatus: undefined, headers }, provider);
}

/** Names of headers with the provider's id of a request, such as `request-id`, `x-request-id` and `x-amzn-requestid`. */
const REQUEST_ID_HEADER = /request-?id$/;
/** Matches ids that may be logged: they cannot be text of a prompt. */
const PROVIDER_REQUEST_ID = /^[\w.:/=+-]{1,100}$/;

export function requestIdIn(headers: UpstreamResponse['headers']): string | undefined {
  const ids = Object.entries(headers).flatMap(([name, id]) => (REQUEST_ID_HEADER.test(name) ? (id ?? []) : []));
  return ids.find((id) => PROVIDER_REQUEST_ID.test(id));
}

interface ErrorCircumstances {
  httpStatus: number | undefined;
  headers: UpstreamResponse['headers'];
}

/** HTTP status for each kind of error, if the provider states none. */
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
  const { fault, status = statusesOfFaults[fault], rule } = classified;
  const otherwise = httpStatus === undefined ? 'The provider stopped with an error' : REFUSAL_WITHOUT_MESSAGE;
  const message = redact(classified.message ?? otherwise, provider);
  const seconds = retryAfterSeconds(headers, error, fault);
  const advice: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  const about = { provider, status, fault, headers: advice, providerRequestId: requestIdIn(headers) };
  if (!rule?.isLasting) return failureOfFault(classified, message, about);
  return failureOfFault(classified, message, { ...about, isRequestsFault: true }).discourageRetry();
}

const REFUSAL_WITHOUT_MESSAGE = 'The provider refused the request without an error message';

function failureOfFault(
  classified: ClassifiedError,
  message: string,
  more: {
    provider: FailedProvider;
    status: number;
    fault: FaultKind;
    headers: Record<string, string>;
    providerRequestId: string | undefined;
    isRequestsFault?: true;
  },
): ProviderFailure {
  const { provider, status, fault, providerRequestId } = more;
  const ofRequest = { ...more, mayTryAnother: false, isRequestsFault: true };
  switch (fault) {
    case 'request':
    case 'reasoning':
      return new ProviderFailure('invalid_request', message, ofRequest);
    case 'elsewhere':
      return new ProviderFailure('invalid_request', message, { ...ofRequest, mayTryAnother: true });
    case 'context':
      return new ProviderFailure('context_length_exceeded', overflowMessage(classified, message), ofRequest);
    case 'size':
      return new ProviderFailure('payload_too_large', message, ofRequest);
    case 'rate':
      return new ProviderFailure('rate_limit_exceeded', message, more);
    case 'timeout':
      return new ProviderFailure('timeout', message, more);
    case 'overload':
      return new ProviderFailure('provider_overloaded', message, more);
    case 'failure':
      return new ProviderFailure('provider_unavailable', message, more);
    // The client does not get the provider's message, which may name the operator's account.
    case 'operator':
    case 'catalog':
      return new ProviderFailure('provider_unavailable', operatorsText(fault, provider.name, status), {
        provider,
        status,
        fault,
        providerRequestId,
      }).discourageRetry();
  }
}

/** Returns the error message for a failure that only the operator can fix. */
export function operatorsText(fault: 'operator' | 'catalog', name: string, status: number): string {
  return fault === 'operator'
    ? `${name} refused the credential or account of the gateway (status ${status}). Contact the gateway's operator.`
    : `${name} does not have this model (status ${status}). Use another model, and contact the gateway's operator.`;
}

/** Converts an exception during a call of a provider to a `ProviderFailure`. */
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
  if (failure === 'unauthorized' && isRefusedCredential(error.cause)) {
    return new ProviderFailure('provider_unavailable', `${message} Contact the gateway's operator.`, {
      provider,
      fault: 'operator',
      cause: error,
    }).discourageRetry();
  }
  if (failure === 'refused') {
    const ofRequest = { mayTryAnother: false, isRequestsFault: true };
    return new ProviderFailure('invalid_request', message, { provider, ...ofRequest, fault: 'request', cause: error });
  }
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
  // The client is advised not to retry: a retry would take as long again, and might cost as much.
  const wasSilent = failure === 'idle_timeout';
  return new ProviderFailure('timeout', message, { provider, wasSilent, cause: error }).discourageRetry();
}
