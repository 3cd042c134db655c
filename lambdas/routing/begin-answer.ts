/** A failure before an answer starts is usually handled as if the provider had rejected the request. */

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

interface SentMessage {
  candidate: Candidate;
  message: MessagesRequest;
  estimatedInputTokens: number;
  hasHiddenReasoning: boolean;
  signal: AbortSignal;
}

/** Maximum size in bytes of an answer that is one document. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/**
 * Sends a message to the candidate's endpoint, and waits for the start of the answer.
 * @param onSent called when the whole message has been sent
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
    // Releases the connection.
    await batches.return();
    throw error;
  }
}

/** Maximum number of batches that are buffered before the first output. */
const MAX_OPENING_BATCHES = 64;

/**
 * Waits for the first output of an answer. Until then, the client receives nothing, so an error is handled like a
 * rejection, unless the client may have to pay.
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
    if (next.done) throw new UpstreamError('broken', 'The provider ended its answer without content');
    const batch = next.value;
    const at = batch.events.findIndex((event) => !isOpening(event));
    const first = batch.events[at]?.data;
    if (first?.type === 'error') throw errorInAnswer(first.error, response.headers, failedProvider(candidate));
    // Some servers send an answer without any token instead of an error (https://github.com/mnfst/llm-gateway/pull/2716).
    if (first?.type === 'message_delta' && first.delta.stop_reason === 'end_turn' && !first.usage?.output_tokens) {
      throw new UpstreamError('broken', 'The provider ended its answer without content');
    }
    // Pings before `message_start` are dropped, because no event may be sent before it.
    const isEarlyPing = opening.length === 0 && batch.events.length > 0 && batch.events.every(isPing);
    if (!isEarlyPing || batch.usage) opening.push(batch);
    const hasBegun = at !== -1 || (batch.heldBackBytes ?? 0) > 0 || opening.length >= MAX_OPENING_BATCHES;
    if (hasBegun) return resumed(opening, batches);
  }
}

/**
 * Whether the client may have to pay without output: the gateway aborted the request, or the model may have had hidden
 * reasoning. The first events are then kept, because they contain the prompt's token count.
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

/** Whether an event contains no output. */
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

/** Reads an answer that is one document: a message, or an error with a success status. */
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
