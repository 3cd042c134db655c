import type { AnswerBatch, MessagesRequest } from '../../messages/types.ts';
import { parseExactly } from '../../platform/exact-json.ts';
import { resumed, type Pulled } from '../../platform/pulled.ts';
import { errorInAnswer, refusalOfResponse } from '../../providers/failures.ts';
import { sniffDocument } from '../../providers/http/sniff-document.ts';
import {
  readText,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../providers/http/upstream-http.ts';
import type { WireRequest } from '../../providers/wire.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { connect, failedProvider } from '../../routing/connection.ts';
import { askInTurn, type InTurn, type Offer } from '../in-turn.ts';

/** A request to one candidate, perhaps connecting already, with nothing sent yet. */
export interface Attempt extends Offer {
  candidate: Candidate;
  /** The request, with the defaults of the candidate's model. */
  message: MessagesRequest;
  /** The request as the candidate gets it. Only the first attempt keeps it: bodies may be large, and most others are never sent. */
  encode: () => WireRequest;
  upstream?: UpstreamRequest;
}

/** An answer that has begun: the attempt it came from, and its batches from the first on. */
export interface Dispatched {
  index: number;
  batches: Pulled<AnswerBatch>;
}

export interface DispatchInput extends InTurn {
  estimatedInputTokens: number;
  /** Called when the whole request of an attempt was sent to its provider. */
  onSent: (index: number) => void;
}

const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** An answer that is one document is read as a whole. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/**
 * Sends the request to one candidate after the other until an answer begins. A failure before the first event is one of the
 * attempt; a later one is a failure of the answer.
 * @throws {ProviderFailure} of the last candidate that was tried.
 */
export async function dispatch(attempts: readonly Attempt[], input: DispatchInput): Promise<Dispatched> {
  const begin = (attempt: Attempt, index: number) => beginAnswer(attempt, input, () => input.onSent(index));
  const { index, answer: batches } = await askInTurn(attempts, begin, input);
  return { index, batches };
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
  const { isDocument, body } = await sniffDocument(response.body);
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
