/** A message is sent to the endpoint that a request goes to, and its answer begins: what fails before that is a refusal, like any other. */

import type { AnswerBatch, MessagesRequest } from '../messages/types.ts';
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
}

/** An answer that is one document is read as a whole. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/**
 * Sends a message over its connection.
 * @param encoded the message as the candidate's wire writes it
 * @param onSent called when the candidate has all of it
 * @returns the batches of the answer, from the first on
 * @throws {ProviderFailure | UpstreamError} where no answer begins
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
    throw refusalOfResponse(response, candidate.wire.readRefusal(text), failedProvider(candidate));
  }
  const { isDocument, body } = await sniffDocument(response.body);
  const batches = isDocument ? documentOf(body, response, sent) : candidate.wire.decode(body, decodeContext(sent));
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
  batches: PullIterator<AnswerBatch>,
  response: UpstreamResponse,
  candidate: Candidate,
): Promise<PullIterator<AnswerBatch>> {
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
    throw errorInAnswer(candidate.wire.readRefusal(text), response.headers, failedProvider(candidate));
  }
  yield batch;
}

function decodeContext({ candidate: { target }, message, estimatedInputTokens }: SentMessage) {
  return { target, request: message, estimatedInputTokens };
}
