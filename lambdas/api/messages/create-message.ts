import { claimOf } from '../../admission/request-claim.ts';
import { AnswerStream, type WhenSilent } from '../../http/answer-stream.ts';
import type { EndpointInput } from '../../http/endpoint.ts';
import { jsonResponse, streamResponse, type HttpResponse } from '../../http/response.ts';
import { abortWhenLeft, destroyWhenOutOfTime } from '../../inference/abort.ts';
import { answerEvents } from '../../inference/messages/answer.ts';
import type { AnswerContext } from '../../inference/messages/answer-context.ts';
import { deliveredEvents, deliveredMessage } from '../../inference/messages/delivered-answer.ts';
import { openAnswer } from '../../inference/messages/open-answer.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { MessageBody } from '../../messages/types.ts';
import { resources } from '../../resources.ts';
import { pings, streamBody } from './stream-body.ts';
import { blanks, COMMIT_AFTER_MS, isThereWithin, wholeBody } from './whole-body.ts';

type MessageEndpointInput = EndpointInput<'inference', RoutedRequest>;

/**
 * Answers a message. The path is the same with and without streaming: upstreams always stream, and a client that does not
 * gets the events put together.
 */
export async function createMessage(input: MessageEndpointInput): Promise<HttpResponse> {
  const { request, caller } = input;
  const claim = await claimOf(resources.table(), { route: 'create-message', ...request, payer: caller.payer });
  const context = await openAnswer({ ...input, claim });
  return context.streamed ? streamAnswer(context) : wholeAnswer(context, input);
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
  const produce = () => streamBody(deliveredEvents(context), { requestId, pingFirst: isSilent });
  return streamResponse(answerBody(context, produce, pings));
}

/**
 * The answer in one piece, as soon as it is whole: its settlement is reported while it is on its way. One that takes long
 * is begun before it is there, so that nobody gives up the connection.
 */
async function wholeAnswer(context: AnswerContext, { waitUntil }: MessageEndpointInput): Promise<HttpResponse> {
  const { message, settled } = deliveredMessage(context);
  waitUntil(settled);
  const waitedMs = performance.now() - context.receivedAtMs;
  if (await isThereWithin(message, Math.max(0, COMMIT_AFTER_MS - waitedMs))) {
    return jsonResponse<MessageBody>(200, await message);
  }
  const body = answerBody(context, () => wholeBody(message, context.requestId), blanks);
  return streamResponse(body, { 'content-type': 'application/json' });
}

/** A body that ends the answer when its reader leaves, and is given up when nobody reads its end. */
function answerBody(
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
