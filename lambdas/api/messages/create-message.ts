import { AnswerStream, type WhenSilent } from '../../http/answer-stream.ts';
import { jsonResponse, streamResponse, type HttpResponse } from '../../http/response.ts';
import { MessageAssembler } from '../../messages/assemble.ts';
import type { AnswerEvent, MessageBody } from '../../messages/types.ts';
import { restoredAnswer } from '../../protection/restored-answer.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import { resources } from '../../resources.ts';
import { dispatch, type Attempt } from '../../routing/dispatch.ts';
import { abortInTime, abortWhenLeft, destroyWhenOutOfTime } from './abort.ts';
import { answerEvents } from './answer.ts';
import type { AnswerContext } from './answer-context.ts';
import { searchFirst, type AnswerSearch, type RequestSearch } from './answer-search.ts';
import { asking, prepareAttempts } from './attempts.ts';
import { holdForRequest, type MessageInput } from './message-hold.ts';
import { inPlaceOf } from './requested-search.ts';
import { routeMessage } from './routed-message.ts';
import { pings, streamBody } from './stream-body.ts';
import { noteConversation } from './warm-conversation.ts';
import { blanks, COMMIT_AFTER_MS, isThereWithin, wholeBody } from './whole-body.ts';

/**
 * Answers a message: candidates, hold, dispatch, stream, settlement. The path is the same with and without streaming:
 * upstreams always stream, and a client that does not gets the events put together.
 */
export async function createMessage(input: MessageInput): Promise<HttpResponse> {
  const { body, caller, request } = input;
  const {
    message,
    content,
    candidates,
    originals,
    origins,
    conversation,
    search: asked,
  } = await routeMessage(body, caller, request.headers);
  // All that settlement needs is there before anything is held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  const abort = new AbortController();
  abortWhenLeft(abort, input.clientLeft);
  const client = clientHeaders(request.headers);
  const prepare = (some: typeof candidates) =>
    inPlaceOf(origins, () => prepareAttempts(some, message, content, client));
  const { admitted, attempts } = await holdForRequest(input, candidates, prepare, abort.signal);
  abortInTime(abort, input.remainingMs());

  const { estimatedTokens: estimatedInputTokens } = content;
  const current: AnswerContext['current'] = { index: 0, sentAtMs: undefined, failed: [], failure: undefined };
  /** @param placeOf which of the request's attempts each of these is */
  const ask = (some: Attempt[], placeOf: (index: number) => number) =>
    dispatch(some, {
      estimatedInputTokens,
      signal: abort.signal,
      onAttempt: (index) => Object.assign(current, { index: placeOf(index), sentAtMs: undefined, failure: undefined }),
      onFailure: (failed) => {
        current.failure = { ...failed, index: placeOf(failed.index) };
        current.failed.push(current.failure);
      },
      // A large request may be refused before its last byte was sent.
      onSent: (index) => {
        if (current.index === placeOf(index)) current.sentAtMs = performance.now();
      },
      onResult: (index, result) => {
        health.record(some[index]!.candidate.endpoint.id, result);
        // The next endpoint's answer may take minutes: the others learn of this failure before.
        if (result === 'failed') void health.publish();
      },
    });
  const search: AnswerSearch | undefined = asked && {
    session: asked.session,
    isDeclared: asked.isDeclared,
    opening: [],
    attempts,
    client,
    ask: (attempt, index) => ask([attempt, attempt], () => index),
    remainingMs: input.remainingMs,
  };
  const askFirst = async () => {
    if (search && asked) Object.assign(search, await searchBeforeAsking(asked, search, abort.signal));
    return ask(search?.attempts ?? attempts, (index) => index);
  };
  const context: AnswerContext = {
    generationId: input.generationId,
    payer: caller.payer,
    table,
    queue,
    health,
    remember: async (candidate, outcome) => conversation && noteConversation(conversation, candidate, outcome),
    keeper: admitted.keeper,
    attempts: attempts.map(({ candidate }, index) => ({ candidate, quote: admitted.plan.quotes[index]! })),
    dispatched: askFirst(),
    current,
    estimatedInputTokens,
    receivedAtMs: request.receivedAtMs,
    requestId: request.id,
    streamed: message.stream === true,
    shortened: admitted.shortened,
    originals,
    search,
    abort,
  };
  return context.streamed ? streamAnswer(context) : wholeAnswer(context, input);
}

/** Makes the searches that come first; the attempts then have what they found. */
async function searchBeforeAsking(
  asked: RequestSearch,
  { attempts, client }: AnswerSearch,
  signal: AbortSignal,
): Promise<Pick<AnswerSearch, 'opening' | 'attempts'>> {
  if (asked.first.searchesFirst + asked.pending.length === 0) return { opening: [], attempts };
  // It may be closed by the time that it is needed.
  for (const { upstream } of attempts) upstream?.discard();
  const { opening, extended } = await searchFirst(asked, signal);
  return { opening, attempts: attempts.map((attempt) => asking(attempt, extended(attempt.message), client)) };
}

/**
 * Waits for the first event, so that a failure before it has its own status; but not for ever, because a client that
 * gets nothing leaves. From then on the answer is a stream, and failures are reported in it.
 */
async function streamAnswer(context: AnswerContext): Promise<HttpResponse> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    const waitedMs = performance.now() - context.receivedAtMs;
    timer = setTimeout(resolve, Math.max(0, pings.afterMs - waitedMs));
  });
  let isSilent = false;
  try {
    isSilent = (await Promise.race([context.dispatched, patience])) === undefined;
  } catch {
    // answerEvents settles the generation and throws the refusal.
    for await (const _ of answerEvents(context));
  } finally {
    clearTimeout(timer);
  }
  const { requestId } = context;
  const produce = () => streamBody(eventsFor(context), { requestId, pingFirst: isSilent });
  return streamResponse(bodyOf(context, produce, pings));
}

/**
 * The answer in one piece, as soon as it is whole: its settlement is reported while it is on its way. One that takes long
 * is begun before it is there, so that nobody gives up the connection.
 */
async function wholeAnswer(context: AnswerContext, { waitUntil }: MessageInput): Promise<HttpResponse> {
  const { message, settled } = collectAnswer(context);
  waitUntil(settled);
  const waitedMs = performance.now() - context.receivedAtMs;
  if (await isThereWithin(message, Math.max(0, COMMIT_AFTER_MS - waitedMs))) {
    return jsonResponse<MessageBody>(200, await message);
  }
  const body = bodyOf(context, () => wholeBody(message, context.requestId), blanks);
  return streamResponse(body, { 'content-type': 'application/json' });
}

/** A body that ends the answer when its reader leaves, and is given up when nobody reads its end. */
function bodyOf(
  { abort }: AnswerContext,
  produce: () => AsyncGenerator<string | Uint8Array>,
  whenSilent: WhenSilent,
): AnswerStream {
  const body = new AnswerStream((readerLeft) => {
    abortWhenLeft(abort, readerLeft);
    return produce();
  }, whenSilent);
  destroyWhenOutOfTime(body, abort.signal);
  return body;
}

/** @returns the message once it is whole, or its failure, and the end of everything that belongs to it, which never fails */
function collectAnswer(context: AnswerContext): { message: Promise<MessageBody>; settled: Promise<void> } {
  const { promise: message, resolve, reject } = Promise.withResolvers<MessageBody>();
  const collect = async () => {
    const assembler = new MessageAssembler();
    for await (const events of eventsFor(context)) {
      for (const { data } of events) assembler.add(data);
      // All that comes after this event is the settlement.
      if (events.at(-1)?.data.type === 'message_stop') resolve(assembler.finish()!);
    }
    resolve(assembler.finish()!);
  };
  return { message, settled: collect().catch(reject) };
}

/** The events with the client's own text, where the provider got something else for it. */
function eventsFor(context: AnswerContext): AsyncGenerator<AnswerEvent[], void> {
  const events = answerEvents(context);
  return context.originals ? restoredAnswer(events, context.originals) : events;
}
