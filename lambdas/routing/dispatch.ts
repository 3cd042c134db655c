import { GatewayError, toGatewayError } from '../platform/errors.ts';
import type { AnswerEvent, MessagesRequest } from '../messages/types.ts';
import { log } from '../platform/logger.ts';
import { mayTryAnother, refusalOf, unreachable } from '../providers/failures.ts';
import { readText, UpstreamError, UpstreamRequest, type Timeouts } from '../providers/upstream-http.ts';
import type { ClientHeaders, WireRequest } from '../providers/wire.ts';
import type { Candidate } from './candidates.ts';

/** An answer that has begun: the endpoint that gives it, and its events from the first on. */
export interface Dispatched {
  candidate: Candidate;
  events: AsyncGenerator<AnswerEvent[], void>;
}

export interface DispatchInput {
  request: MessagesRequest;
  client: ClientHeaders;
  estimatedInputTokens: number;
  signal: AbortSignal;
}

/** A request to the first candidate, encoded and connecting, with nothing sent yet. */
export interface PreparedDispatch {
  candidates: Candidate[];
  first: { encoded: WireRequest; upstream: UpstreamRequest };
}

const MAX_ERROR_BODY_BYTES = 64 * 1024;

const defaultTimeouts: Timeouts = { connectMs: 5_000, firstByteMs: 300_000, idleMs: 120_000 };

/** Starts connecting to the first candidate. */
export function prepareDispatch(candidates: Candidate[], encoded: WireRequest, input: DispatchInput): PreparedDispatch {
  return { candidates, first: { encoded, upstream: connect(candidates[0]!, encoded, input.signal) } };
}

/**
 * Sends the request to one candidate after the other until an answer begins. What fails before its first event costs
 * the client nothing but time; what fails later is the answer's own failure.
 * @throws {GatewayError} of the last candidate that was tried.
 */
export async function dispatch(prepared: PreparedDispatch, input: DispatchInput): Promise<Dispatched> {
  let failure: GatewayError | undefined;
  for (const [index, candidate] of prepared.candidates.entries()) {
    try {
      const encoded =
        index === 0 ? prepared.first.encoded : candidate.wire.encode(input.request, candidate.target, input.client);
      const upstream = index === 0 ? prepared.first.upstream : connect(candidate, encoded, input.signal);
      return { candidate, events: await beginAnswer(candidate, upstream, encoded, input) };
    } catch (error) {
      failure =
        error instanceof UpstreamError ? unreachable(error, candidate.endpoint.provider.name) : toGatewayError(error);
      if (input.signal.aborted || !mayTryAnother(error)) break;
      log('warn', 'provider failed before its first event', {
        provider: candidate.endpoint.provider.id,
        model: candidate.model.id,
        status: failure.status,
        reason: error instanceof UpstreamError ? error.failure : failure.errorType,
        attempt: index + 1,
      });
    }
  }
  // The gateway has tried every endpoint: a client that retries at once would only multiply the attempts.
  if (prepared.candidates.length > 1) failure!.headers['x-should-retry'] = 'false';
  throw failure!;
}

async function beginAnswer(
  candidate: Candidate,
  upstream: UpstreamRequest,
  encoded: WireRequest,
  input: DispatchInput,
): Promise<AsyncGenerator<AnswerEvent[], void>> {
  const response = await upstream.send(encoded.body);
  const provider = candidate.endpoint.provider.name;
  if (response.status < 200 || response.status > 299) {
    const text = await readText(response.body, MAX_ERROR_BODY_BYTES);
    throw refusalOf(response.status, candidate.wire.readRefusal(text), response.headers, provider);
  }
  const events = candidate.wire.decode(response.body, {
    target: candidate.target,
    request: input.request,
    estimatedInputTokens: input.estimatedInputTokens,
  });
  const first = await events.next();
  if (first.done) throw new UpstreamError('broken', 'The provider ended its answer before it began');
  const [opening] = first.value;
  if (opening?.data.type === 'error') {
    const { type, message } = opening.data.error;
    await events.return();
    throw refusalOf(statusOfErrorType(type), { type, message }, response.headers, provider);
  }
  return continued(first.value, events);
}

async function* continued(
  first: AnswerEvent[],
  rest: AsyncGenerator<AnswerEvent[], void>,
): AsyncGenerator<AnswerEvent[], void> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

export function connect(candidate: Candidate, encoded: WireRequest, signal: AbortSignal): UpstreamRequest {
  const { provider } = candidate.endpoint;
  const { connect_ms, first_byte_ms, idle_ms } = provider.data.timeouts ?? {};
  return new UpstreamRequest(
    {
      url: `${provider.baseUrl}${encoded.path}`,
      headers: {
        ...encoded.headers,
        ...(candidate.credential ? candidate.wire.credentialHeaders(candidate.credential) : {}),
      },
      timeouts: {
        connectMs: connect_ms ?? defaultTimeouts.connectMs,
        firstByteMs: first_byte_ms ?? defaultTimeouts.firstByteMs,
        idleMs: idle_ms ?? defaultTimeouts.idleMs,
      },
    },
    signal,
  );
}

function statusOfErrorType(type: string): number {
  switch (type) {
    case 'invalid_request_error':
      return 400;
    case 'rate_limit_error':
      return 429;
    case 'overloaded_error':
      return 529;
    case 'timeout_error':
      return 504;
    default:
      return 500;
  }
}
