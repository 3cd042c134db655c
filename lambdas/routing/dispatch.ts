import type { AnswerBatch, MessagesRequest } from '../messages/types.ts';
import { describeError, log } from '../platform/logger.ts';
import { errorInAnswer, failureOf, refusalOfResponse, type ProviderFailure } from '../providers/failures.ts';
import { peek } from '../providers/peek.ts';
import { readText, UpstreamError, type UpstreamRequest, type UpstreamResponse } from '../providers/upstream-http.ts';
import type { WireRequest } from '../providers/wire.ts';
import { parseExactly } from '../platform/exact-json.ts';
import { resumed, type Pulled } from '../platform/pulled.ts';
import type { Candidate } from './candidates.ts';
import { connect, failedProvider } from './connection.ts';
import type { AttemptResult } from './recent-attempts.ts';

/** A request to one candidate, perhaps connecting already, with nothing sent yet. */
export interface Attempt {
  candidate: Candidate;
  /** The request, with the defaults of the candidate's model. */
  message: MessagesRequest;
  /** The request as the candidate gets it. Only the first attempt keeps it: bodies may be large, and most others are never sent. */
  encode: () => WireRequest;
  upstream?: UpstreamRequest;
  /** The model may think without showing it: while it is silent, it may be working, and billing. */
  thinksUnseen: boolean;
}

/** An answer that has begun: the attempt it came from, and its batches from the first on. */
export interface Dispatched {
  index: number;
  batches: Pulled<AnswerBatch>;
}

export interface DispatchInput {
  estimatedInputTokens: number;
  signal: AbortSignal;
  /** Called when an attempt begins, and when its whole request was sent to the provider. */
  onAttempt: (index: number) => void;
  /** Called when an attempt has failed before its first event. */
  onFailure: (failed: FailedAttempt) => void;
  onSent: (index: number) => void;
  /** Called with what an attempt says of its endpoint: nothing, when the request was at fault or the client has left. */
  onResult: (index: number, result: AttemptResult) => void;
}

/** An attempt that gave no answer. It costs nothing, unless it was the last one. */
export interface FailedAttempt {
  index: number;
  /** Of the provider's answer; null where there was none. */
  providerStatus: number | null;
  durationMs: number;
}

const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** An answer that is one document is read as a whole. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/**
 * Sends the request to one candidate after the other until an answer begins. A failure before the first event costs the
 * client only time; a later one is a failure of the answer. What is refused as a request is not sent to other endpoints of
 * that model: another model may take it.
 * @throws {ProviderFailure} of the last candidate that was tried.
 */
export async function dispatch(attempts: Attempt[], input: DispatchInput): Promise<Dispatched> {
  let failure: ProviderFailure | undefined;
  const refusedBy = new Set<string>();
  for (const [index, attempt] of attempts.entries()) {
    const { candidate } = attempt;
    if (refusedBy.has(candidate.model.id)) continue;
    input.onAttempt(index);
    const beganAtMs = performance.now();
    try {
      const batches = await beginAnswer(attempt, input, () => input.onSent(index));
      input.onResult(index, 'ok');
      return { index, batches };
    } catch (error) {
      failure = failureOf(error, failedProvider(candidate));
      const durationMs = Math.round(performance.now() - beganAtMs);
      input.onFailure({ index, providerStatus: failure.providerStatus ?? null, durationMs });
      if (!input.signal.aborted && !failure.isRequestsFault) input.onResult(index, 'failed');
      // A silent model that may have been thinking is paid for: another attempt would have to be paid for as well.
      const isPaid = failure.wasSilent && attempt.thinksUnseen;
      if (input.signal.aborted || isPaid) break;
      if (!failure.mayTryAnother) refusedBy.add(candidate.model.id);
      log('warn', 'provider failed before its first event', {
        provider: candidate.endpoint.provider.id,
        model: candidate.model.id,
        status: failure.status,
        attempt: index + 1,
        ...reasonOf(failure),
      });
    }
  }
  // The gateway has tried every endpoint: a client that retries at once would only multiply the attempts.
  if (attempts.length > 1) failure!.discourageRetry();
  throw failure!;
}

function reasonOf({ cause, kind }: ProviderFailure): { reason?: string; stack?: string } {
  if (cause instanceof UpstreamError) return { reason: cause.failure };
  return cause === undefined ? { reason: kind } : describeError(cause);
}

async function beginAnswer(attempt: Attempt, input: DispatchInput, onSent: () => void): Promise<Pulled<AnswerBatch>> {
  const { candidate } = attempt;
  const encoded = attempt.encode();
  const upstream = attempt.upstream ?? connect(candidate, encoded, input.signal);
  const response = await upstream.send(encoded.body, onSent);
  if (response.status < 200 || response.status > 299) {
    const text = await readText(response.body, MAX_ERROR_BODY_BYTES);
    throw refusalOfResponse(response, candidate.wire.readRefusal(text), failedProvider(candidate));
  }
  const { isDocument, body } = candidate.wire.streamsJson
    ? { isDocument: false, body: response.body }
    : await peek(response.body);
  const batches = isDocument
    ? documentOf(body, response, attempt, input)
    : candidate.wire.decode(body, decodeContext(attempt, input));
  try {
    return await begun(batches, response, candidate);
  } catch (error) {
    // The end of the generator gives the connection back.
    await batches.return();
    throw error;
  }
}

/** Waits for the first event of an answer: an error in its place is a refusal like any other. */
async function begun(
  batches: Pulled<AnswerBatch>,
  response: UpstreamResponse,
  candidate: Candidate,
): Promise<Pulled<AnswerBatch>> {
  let first = await batches.next();
  // A ping is not an answer yet.
  while (!first.done && first.value.events.every(({ data }) => data.type === 'ping')) first = await batches.next();
  if (first.done) throw new UpstreamError('broken', 'The provider ended its answer before it began');
  const opening = first.value.events.find(({ data }) => data.type !== 'ping');
  if (opening?.data.type === 'error') {
    const { error } = opening.data as { error?: unknown };
    throw errorInAnswer(error, response.headers, failedProvider(candidate));
  }
  return resumed([first.value], batches);
}

/** An answer that is one document: a message, or an error with the status of a success. */
async function* documentOf(
  body: Pulled<Buffer>,
  response: UpstreamResponse,
  attempt: Attempt,
  input: DispatchInput,
): AsyncGenerator<AnswerBatch, void> {
  const text = await readText(body, MAX_DOCUMENT_BYTES);
  let document: unknown;
  try {
    document = parseExactly(text);
  } catch (error) {
    throw new UpstreamError('malformed', 'The provider sent a document that is not JSON', error);
  }
  const { candidate } = attempt;
  const batch = candidate.wire.decodeWhole(document, decodeContext(attempt, input));
  if (!batch) {
    throw errorInAnswer(candidate.wire.readRefusal(text), response.headers, failedProvider(candidate));
  }
  yield batch;
}

function decodeContext({ candidate: { target }, message }: Attempt, { estimatedInputTokens }: DispatchInput) {
  return { target, request: message, estimatedInputTokens };
}
