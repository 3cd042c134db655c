/**
 * Sends one request to a provider, and reads its answer: as one JSON document, or as a stream whose parts are
 * forwarded.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchRequest, DecodeStream, StreamedAnswer } from '../../providers/batch-engine.ts';
import { errorInAnswer, failureOf, refusalOfResponse } from '../../providers/failures.ts';
import { statesError } from '../../providers/faults/error-detection.ts';
import { parsedAnswer } from '../../providers/http/parsed-answer.ts';
import { readResponse } from '../../providers/http/read-text.ts';
import type { UpstreamResponse } from '../../providers/http/upstream-http.ts';
import { connect, failedProvider } from '../../routing/connection.ts';
import type { AttemptLog } from '../attempt-log.ts';
import { begunStream } from './begun-stream.ts';
import type { BatchCandidate } from './offers.ts';

const DEFAULT_MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const PAUSES_MS = [250, 1_000];

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
  return withPauses(exchange, () => receiveWhole(batchRequest, exchange));
}

/** Returns the provider's answer when its first content has arrived. */
export function streamedAnswerTo<Event>(
  batchRequest: BatchRequest,
  decode: DecodeStream<Event>,
  exchange: ProviderExchange,
): Promise<StreamedAnswer<Event>> {
  return withPauses(exchange, () => openStream(batchRequest, decode, exchange));
}

/** Runs an exchange. Repeats it up to twice, after a pause, if the provider is briefly unavailable. */
async function withPauses<Answer>(
  { candidate, signal }: ProviderExchange,
  sendOnce: () => Promise<Answer>,
): Promise<Answer> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await sendOnce();
    } catch (error) {
      const { mayTryAnother, wasAnswered, kind, isRequestsFault, isOperators } = failureOf(
        error,
        failedProvider(candidate),
      );
      const isLasting = !mayTryAnother || isRequestsFault || isOperators;
      if (signal.aborted || isLasting || wasAnswered || kind === 'timeout') throw error;
    }
    await sleep(pauseMs, undefined, { signal });
  }
  return sendOnce();
}

async function receiveWhole(
  batchRequest: BatchRequest,
  { candidate, log, ...exchange }: ProviderExchange,
): Promise<ProviderAnswer> {
  const { maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } = batchRequest;
  const received = async () => {
    const response = await sendRequest(batchRequest, { candidate, log, ...exchange });
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
  const { maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } = batchRequest;
  const provider = failedProvider(candidate);
  const begun = async () => {
    const response = await sendRequest(batchRequest, exchange);
    if (isSuccessful(response)) return begunStream(response, decode, { maxBytes: maxAnswerBytes, provider });
    throw refusalOfResponse(response, await readResponse(response, maxAnswerBytes), provider);
  };
  const parts = await begun().finally(() => log.received());
  return { parts, batchRequest };
}

async function sendRequest(
  { request }: BatchRequest,
  { index, candidate, signal, log }: ProviderExchange,
): Promise<UpstreamResponse> {
  signal.throwIfAborted();
  return connect(candidate, request, signal).send(request.body, () => log.sent(index));
}

function isSuccessful({ status }: UpstreamResponse): boolean {
  return status >= 200 && status <= 299;
}
