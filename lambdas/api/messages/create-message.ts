import { AnswerStream } from '../../http/answer-stream.ts';
import { jsonResponse, streamResponse, type HttpResponse } from '../../http/response.ts';
import { MessageAssembler } from '../../messages/assemble.ts';
import type { AnswerEvent, MessageBody } from '../../messages/types.ts';
import { restoredAnswer } from '../../protection/restored-answer.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import { resources } from '../../resources.ts';
import { dispatch } from '../../routing/dispatch.ts';
import { abortInTime, abortWhenLeft, destroyWhenOutOfTime } from './abort.ts';
import { answerEvents } from './answer.ts';
import type { AnswerContext } from './answer-context.ts';
import { prepareAttempts } from './attempts.ts';
import { holdForRequest, type MessageInput } from './message-hold.ts';
import { routeMessage } from './routed-message.ts';
import { PING_AFTER_MS, streamBody } from './stream-body.ts';

/**
 * Answers a message: candidates, hold, dispatch, stream, settlement. The path is the same with and without streaming:
 * upstreams always stream, and a client that does not gets the events put together.
 */
export async function createMessage(input: MessageInput): Promise<HttpResponse> {
  const { body, caller, request } = input;
  const { message, content, candidates, originals } = await routeMessage(body, caller);
  // All that settlement needs is there before anything is held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  const abort = new AbortController();
  abortWhenLeft(abort, input.clientLeft);
  const prepare = (some: typeof candidates) => prepareAttempts(some, message, content, clientHeaders(request.headers));
  const { admitted, attempts } = await holdForRequest(input, candidates, prepare, abort.signal);
  abortInTime(abort, input.remainingMs());

  const { estimatedTokens: estimatedInputTokens } = content;
  const current: AnswerContext['current'] = { index: 0, sentAtMs: undefined, failed: [] };
  const context: AnswerContext = {
    generationId: input.generationId,
    payer: caller.payer,
    table,
    queue,
    health,
    keeper: admitted.keeper,
    attempts: attempts.map(({ candidate }, index) => ({ candidate, quote: admitted.plan.quotes[index]! })),
    dispatched: dispatch(attempts, {
      estimatedInputTokens,
      signal: abort.signal,
      onAttempt: (index) => Object.assign(current, { index, sentAtMs: undefined }),
      onFailure: (failed) => current.failed.push(failed),
      // A large request may be refused before its last byte was sent.
      onSent: (index) => {
        if (current.index === index) current.sentAtMs = performance.now();
      },
      onResult: (index, result) => {
        health.record(attempts[index]!.candidate.endpoint.id, result);
        // The next endpoint's answer may take minutes: the others learn of this failure before.
        if (result === 'failed') void health.publish();
      },
    }),
    current,
    estimatedInputTokens,
    receivedAtMs: request.receivedAtMs,
    requestId: request.id,
    streamed: message.stream === true,
    shortened: admitted.shortened,
    originals,
    abort,
  };
  return context.streamed ? streamAnswer(context) : jsonResponse<MessageBody>(200, await collectAnswer(context));
}

/**
 * Waits for the first event, so that a failure before it has its own status; but not for ever, because a client that
 * gets nothing leaves. From then on the answer is a stream, and failures are reported in it.
 */
async function streamAnswer(context: AnswerContext): Promise<HttpResponse> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    const waitedMs = performance.now() - context.receivedAtMs;
    timer = setTimeout(resolve, Math.max(0, PING_AFTER_MS - waitedMs));
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
  const body = new AnswerStream((clientSignal) => {
    abortWhenLeft(context.abort, clientSignal);
    return streamBody(eventsFor(context), { requestId: context.requestId, pingFirst: isSilent });
  });
  destroyWhenOutOfTime(body, context.abort.signal);
  return streamResponse(body);
}

async function collectAnswer(context: AnswerContext): Promise<MessageBody> {
  const assembler = new MessageAssembler();
  for await (const events of eventsFor(context)) {
    for (const { data } of events) assembler.add(data);
  }
  return assembler.finish()!;
}

/** The events with the client's own text, where the provider got something else for it. */
function eventsFor(context: AnswerContext): AsyncGenerator<AnswerEvent[], void> {
  const events = answerEvents(context);
  return context.originals ? restoredAnswer(events, context.originals) : events;
}
