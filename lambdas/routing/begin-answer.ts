/**
 * Sends a message to the endpoint of a request, and waits for the start of its answer. A failure before the start is a
 * refusal like any other.
 */

import type { AnswerBatch, AnswerEvent, MessagesRequest } from '../messages/types.ts';
import { parseForeignExactly } from '../platform/json/foreign-json.ts';
import { resumed, type PullIterator } from '../platform/concurrency/pull-iterator.ts';
import { errorInAnswer, refusalOfResponse } from '../providers/failures.ts';
import { sniffDocument } from '../providers/http/sniff-document.ts';
import { readResponse, readText } from '../providers/http/read-text.ts';
import { UpstreamError } from '../providers/http/upstream-error.ts';
import type { UpstreamRequest, UpstreamResponse } from '../providers/http/upstream-http.ts';
import type { WireRequest } from '../providers/wire.ts';
import type { Candidate } from './candidates.ts';
import { failedProvider } from './connection.ts';

/** A message for one candidate. */
interface SentMessage {
  candidate: Candidate;
  /** With the defaults of the candidate's model. */
  message: MessagesRequest;
  estimatedInputTokens: number;
  /** The model may think without showing it. */
  hasHiddenReasoning: boolean;
  /** Ends the request: the client has disconnected, or the time is up. */
  signal: AbortSignal;
}

/** Limit for an answer that is read as one document. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/**
 * Sends a message over its connection.
 * @param encoded the message in the format of the candidate's wire
 * @param onSent called when the candidate has received all of it
 * @returns the batches of the answer, including the first
 * @throws {ProviderFailure | UpstreamError} if no answer begins
 */
export async function beginAnswer(
  sent: SentMessage,
  encoded: WireRequest,
  upstream: UpstreamRequest,
  onSent: () => void,
): Promise<PullIterator<AnswerBatch>> {
  const { candidate } = sent;
  const response = await upstream.send(encoded.body, onSent);
  if (response.status < 200 || response.status > 299) {
    const text = await readResponse(response, MAX_DOCUMENT_BYTES);
    throw refusalOfResponse(response, text, failedProvider(candidate));
  }
  const { isDocument, body } = await sniffDocument(response.body);
  const batches = isDocument ? documentOf(body, response, sent) : candidate.wire.decode(body, decodeContext(sent));
  try {
    return await begun(batches, response, sent);
  } catch (error) {
    // The end of the generator releases the connection.
    await batches.return();
    throw error;
  }
}

/** Maximum number of batches to keep until the first output. An answer with more batches counts as begun. */
const MAX_OPENING_BATCHES = 64;

/**
 * Waits for the first output of an answer. An error before it is a refusal like any other, even after the opening
 * events, because nothing has been delivered. The opening events are sent together with the first output, so that this
 * wait does not delay it.
 */
async function begun(
  batches: PullIterator<AnswerBatch>,
  response: UpstreamResponse,
  sent: SentMessage,
): Promise<PullIterator<AnswerBatch>> {
  const { candidate } = sent;
  const opening: AnswerBatch[] = [];
  for (;;) {
    let next: IteratorResult<AnswerBatch, void>;
    try {
      next = await batches.next();
    } catch (error) {
      if (opening.length > 0 && mayBePaid(error, sent)) return failing(opening, error);
      throw error;
    }
    if (next.done) throw new UpstreamError('broken', 'The provider ended its answer before it began');
    const batch = next.value;
    const at = batch.events.findIndex((event) => !isOpening(event));
    const first = batch.events[at]?.data;
    if (first?.type === 'error') throw errorInAnswer(first.error, response.headers, failedProvider(candidate));
    // No event may precede the start of the message.
    const isEarlyPing = opening.length === 0 && batch.events.length > 0 && batch.events.every(isPing);
    if (!isEarlyPing || batch.usage) opening.push(batch);
    const hasBegun = at !== -1 || (batch.heldBackBytes ?? 0) > 0 || opening.length >= MAX_OPENING_BATCHES;
    if (hasBegun) return resumed(opening, batches);
  }
}

/**
 * A client that disconnects pays for the prompt, and so does a client whose model may have been thinking. The opening
 * events have counted the prompt.
 */
function mayBePaid(error: unknown, { signal, hasHiddenReasoning }: SentMessage): boolean {
  return signal.aborted || (hasHiddenReasoning && error instanceof UpstreamError && error.failure === 'idle_timeout');
}

async function* failing(opening: AnswerBatch[], error: unknown): AsyncGenerator<AnswerBatch, void> {
  yield* opening;
  throw error;
}

function isPing({ data }: AnswerEvent): boolean {
  return data.type === 'ping';
}

/**
 * Whether an event precedes all output: a ping, the start of the answer, or the start of an empty text or thinking
 * block.
 */
function isOpening({ data }: AnswerEvent): boolean {
  switch (data.type) {
    case 'ping':
    case 'message_start':
    case 'content_block_stop':
      return true;
    case 'content_block_start': {
      const { type, text, thinking } = data.content_block;
      return (type === 'text' && !text) || (type === 'thinking' && !thinking);
    }
    case 'content_block_delta':
      return Object.entries(data.delta).every(([name, value]) => name === 'type' || value === '' || value == null);
    case 'message_delta':
      return typeof data.delta.stop_reason !== 'string';
    default:
      return false;
  }
}

/** An answer in one document: a message, or an error with a success status. */
async function* documentOf(
  body: PullIterator<Buffer>,
  response: UpstreamResponse,
  sent: SentMessage,
): AsyncGenerator<AnswerBatch, void> {
  const text = await readText(body, MAX_DOCUMENT_BYTES);
  let document: unknown;
  try {
    document = parseForeignExactly(text);
  } catch (error) {
    throw new UpstreamError(
      'malformed',
      'The provider sent a document that is not JSON, or has too many values',
      error,
    );
  }
  const { candidate } = sent;
  const batch = candidate.wire.decodeWhole(document, decodeContext(sent));
  if (!batch) {
    throw errorInAnswer(document, response.headers, failedProvider(candidate));
  }
  yield batch;
}

function decodeContext({ candidate: { target }, message, estimatedInputTokens }: SentMessage) {
  return { target, request: message, estimatedInputTokens };
}
