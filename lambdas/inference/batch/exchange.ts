import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchRequest, DecodeStream, StreamedAnswer } from '../../providers/batch-engine.ts';
import { errorInAnswer, failureOf, refusalOfResponse, type ProviderFailure } from '../../providers/failures.ts';
import { statesError } from '../../providers/faults/error-detection.ts';
import { isLostByProxy } from '../../providers/faults/lost-by-proxy.ts';
import { parsedAnswer } from '../../providers/http/parsed-answer.ts';
import { readResponse } from '../../providers/http/read-text.ts';
import { UpstreamError } from '../../providers/http/upstream-error.ts';
import type { UpstreamResponse } from '../../providers/http/upstream-http.ts';
import { connect, failedProvider } from '../../routing/connection.ts';
import type { AttemptLog } from '../attempt-log.ts';
import { begunStream } from './begun-stream.ts';
import type { BatchCandidate } from './offers.ts';

const DEFAULT_MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const PAUSES_MS = [250, 1_000];
/** Maximum `retry-after` in seconds. If a provider demands a longer pause, the request is not repeated. */
const MAX_AWAITED_SECONDS = 1;

interface ProviderExchange {
  index: number;
  candidate: BatchCandidate;
  signal: AbortSignal;
  log: AttemptLog;
}

interface ProviderAnswer {
  body: unknown;
  headers: UpstreamResponse['headers'];
}

/** Returns the provider's answer as parsed JSON. */
export function wholeAnswerTo(batchRequest: BatchRequest, exchange: ProviderExchange): Promise<ProviderAnswer> {
  return withPauses(batchRequest, exchange, () => receiveWhole(batchRequest, exchange));
}

/** Returns the answer when its first content has arrived. */
export function streamedAnswerTo<Event>(
  batchRequest: BatchRequest,
  decode: DecodeStream<Event>,
  exchange: ProviderExchange,
): Promise<StreamedAnswer<Event>> {
  return withPauses(batchRequest, exchange, () => openStream(batchRequest, decode, exchange));
}

/**
 * Repeats a failed exchange up to twice, each time after a pause. Does not repeat it if the failure is permanent, or if
 * a repetition may be too expensive or take too long.
 */
async function withPauses<Answer>(
  { isSentOnce = false }: BatchRequest,
  { candidate, signal }: ProviderExchange,
  sendOnce: () => Promise<Answer>,
): Promise<Answer> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await sendOnce();
    } catch (error) {
      const failure = failureOf(error, failedProvider(candidate));
      const { mayTryAnother, wasAnswered, kind, isRequestsFault, isOperators } = failure;
      const isLasting = !mayTryAnother || isRequestsFault || isOperators;
      const isUncertain = isSentOnce && !isUnprocessed(failure);
      const isTooEarly = Number(failure.headers['retry-after'] ?? 0) > MAX_AWAITED_SECONDS;
      if (signal.aborted || isLasting || isUncertain || isTooEarly || wasAnswered || kind === 'timeout') throw error;
    }
    await sleep(pauseMs, undefined, { signal });
  }
  return sendOnce();
}

/** Whether the provider certainly has not processed the request, so that it costs nothing. */
function isUnprocessed({ kind, cause, message }: ProviderFailure): boolean {
  const isBusy = (kind === 'rate_limit_exceeded' || kind === 'provider_overloaded') && !isLostByProxy(message);
  return isBusy || (cause instanceof UpstreamError && cause.isUnsent);
}

async function receiveWhole(
  batchRequest: BatchRequest,
  { candidate, log, ...exchange }: ProviderExchange,
): Promise<ProviderAnswer> {
  const { request, isSentOnce, maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } = batchRequest;
  const received = async () => {
    const response = await sendRequest(request, { candidate, log, ...exchange }, isSentOnce);
    return { response, text: await readResponse(response, maxAnswerBytes) };
  };
  const { response, text } = await received().finally(() => log.received());
  if (!isSuccessful(response)) throw refusalOfResponse(response, text, failedProvider(candidate));
  const body = parsedAnswer(text);
  if (statesError(body)) throw errorInAnswer(body, response.headers, failedProvider(candidate));
  return { body, headers: response.headers };
}

async function openStream<Event>(
  batchRequest: BatchRequest,
  decode: DecodeStream<Event>,
  exchange: ProviderExchange,
): Promise<StreamedAnswer<Event>> {
  const { candidate, log } = exchange;
  const { request, isSentOnce, maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } = batchRequest;
  const provider = failedProvider(candidate);
  const begun = async () => {
    const response = await sendRequest(request, exchange, isSentOnce);
    if (isSuccessful(response)) return begunStream(response, decode, { maxBytes: maxAnswerBytes, provider });
    throw refusalOfResponse(response, await readResponse(response, maxAnswerBytes), provider);
  };
  const parts = await begun().finally(() => log.received());
  return { parts, batchRequest };
}

async function sendRequest(
  request: BatchRequest['request'],
  { index, candidate, signal, log }: ProviderExchange,
  isFresh = false,
): Promise<UpstreamResponse> {
  signal.throwIfAborted();
  return connect(candidate, { ...request, isFresh }, signal).send(request.body, () => log.sent(index));
}

function isSuccessful({ status }: UpstreamResponse): boolean {
  return status >= 200 && status <= 299;
}
