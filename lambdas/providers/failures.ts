/**
 * Failures of providers as refusals of the gateway. Whatever goes wrong between our request and the end of an answer is
 * the provider's failure, never our 500: also what nobody has foreseen.
 */

import { errorKinds, GatewayError, kindOfMessagesType, kindOfStatus, type ErrorKind } from '../platform/errors.ts';
import { describeError, log, type LogFields } from '../platform/logger.ts';
import { redact, type Secrets } from './redact.ts';
import { UpstreamError } from './http/upstream-error.ts';
import type { UpstreamResponse } from './http/upstream-http.ts';
import type { WireRefusal } from './wire.ts';
import { recordOrEmpty, textOrAbsent } from '../platform/json/foreign-json.ts';

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
    this.providerStatus = more.status;
    this.word = wordOf(kind, more);
  }
}

function wordOf(kind: ErrorKind, { status, cause }: { status?: number; cause?: unknown }): string {
  if (status !== undefined) return kindOfStatus(status) ?? kind;
  return cause instanceof UpstreamError ? cause.word : 'malformed';
}

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
  name: string;
}

/** Anything else is not a useful wait, in seconds. */
const RETRY_AFTER_HEADER = /^\d{1,5}$/;

/** The refusal of an upstream that answered with an error status, as its wire reads it. */
export function refusalOfResponse(
  response: Pick<UpstreamResponse, 'status' | 'headers'>,
  { status = response.status, message, retryAfterSeconds }: WireRefusal,
  provider: FailedProvider,
): ProviderFailure {
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return refusalOf(status, message, { ...wait, ...response.headers }, provider);
}

/** The refusal of an upstream that answered with an error status. Its words go to the client, who may match on them. */
export function refusalOf(
  status: number,
  message: string,
  headers: UpstreamResponse['headers'],
  provider: FailedProvider,
): ProviderFailure {
  const retryAfter = headers['retry-after'];
  const advice: Record<string, string> = {};
  if (retryAfter && RETRY_AFTER_HEADER.test(retryAfter)) advice['retry-after'] = retryAfter;
  const more = { provider, status, headers: advice };
  const words = redact(message, provider);
  switch (status) {
    // The request itself caused these: every endpoint would give the same answer, unless it is what only this home lacks.
    case 400:
    case 422:
      return new ProviderFailure(contextFault(words), words, {
        ...more,
        mayTryAnother: ENVELOPE_FAULT.test(words),
        isRequestsFault: true,
      });
    case 413:
      return new ProviderFailure('payload_too_large', words, { ...more, mayTryAnother: false });
    case 429:
      return new ProviderFailure('rate_limit_exceeded', words, more);
    case 408:
    case 504:
      return new ProviderFailure('timeout', words, more);
    case 503:
    case 529:
      return new ProviderFailure('provider_overloaded', words, more);
    case 401:
    case 402:
    case 403:
    case 404:
      // Between the operator and the provider: the client's own key and model are fine.
      return new ProviderFailure(
        'provider_unavailable',
        `${provider.name} refused the gateway's own request (status ${status}). Tell the gateway's operator.`,
        { provider, status },
      ).discourageRetry();
    default:
      return new ProviderFailure('provider_unavailable', words, more);
  }
}

/**
 * An error instead of an answer, or in the middle of one: its type says which status it stands for.
 * @param error what the provider wrote there
 */
export function errorInAnswer(
  error: unknown,
  headers: UpstreamResponse['headers'],
  provider: FailedProvider,
): ProviderFailure {
  const { type, message } = recordOrEmpty(error);
  const kind = typeof type === 'string' ? kindOfMessagesType(type) : undefined;
  const words = textOrAbsent(message) ?? 'The provider stopped with an error';
  return refusalOf(kind === undefined ? 500 : errorKinds[kind].status, words, headers, provider);
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

/**
 * Homes of Claude say this of betas, fields and lines that another home of the same model takes: Amazon Bedrock, Anthropic for
 * things newer than a version, and imitations that check as it does.
 */
const ENVELOPE_FAULT =
  /invalid beta flag|reserved keyword|extra inputs are not permitted|unexpected value\(s\).{0,200}anthropic-beta/is;

function contextFault(message: string): 'context_length_exceeded' | 'invalid_request' {
  return /prompt is too long|exceeds? (the )?(model'?s? )?(context|maximum)|context.?(length|window)|maximum (context|prompt|input)|input tokens? (exceeds?|count)|range of input length|too many (input )?tokens/i.test(
    message,
  )
    ? 'context_length_exceeded'
    : 'invalid_request';
}
