import { claimOf } from '../../admission/request-claim.ts';
import { AnswerStream, type WhenSilent } from '../../http/answer-stream.ts';
import type { EndpointInput } from '../../http/endpoint.ts';
import { measureBreak } from '../../http/failure-metrics.ts';
import { jsonResponse, streamResponse, type HttpResponse } from '../../http/response.ts';
import { abortWhenLeft, destroyWhenOutOfTime } from '../../inference/abort.ts';
import { answerEvents } from '../../inference/messages/answer.ts';
import type { AnswerContext } from '../../inference/messages/answer-context.ts';
import { deliveredEvents, deliveredMessage } from '../../inference/messages/delivered-answer.ts';
import { openAnswer } from '../../inference/messages/open-answer.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { AnswerEvent, MessageBody } from '../../messages/types.ts';
import { GatewayError, type ErrorKind } from '../../platform/errors.ts';
import type { Door } from '../../platform/metrics.ts';
import { resources } from '../../resources.ts';
import { MAX_LEFT_OUT } from '../../store/generations/outcome.ts';
import type { RouteName } from '../../routes.ts';
import { leftOutHeader } from './left-out-header.ts';
import { blanks, isThereWithin, wholeAnswerSilenceMs, wholeBody } from './whole-body.ts';

/** Clients give up on a silent stream, some after 20 seconds; any byte counts, also before the first event. */
export const SILENCE_MS = 10_000;

type MessageEndpointInput = EndpointInput<'inference', RoutedRequest>;

export interface StreamStart {
  requestId: string;
  generationId: string;
  /** The model that the client has asked for. */
  model: string;
  /** The client has already waited for the head of the answer: something has to be written at once. */
  isSilent: boolean;
}

/** How the answer to a message is written for the clients of one API. */
export interface AnswerForm {
  /** The name of its route. */
  route: RouteName;
  /** A stream says this while there is nothing to say. */
  whenSilent: WhenSilent;
  /** The bytes of a stream. A failure of the events is written as one of them. */
  streamBody: (events: AsyncIterable<AnswerEvent[]>, start: StreamStart) => AsyncGenerator<string | Uint8Array>;
  /** Kinds of refusals that its clients know only as events of a stream with the status 200. */
  streamedRefusals?: readonly ErrorKind[];
  /** Fields of the request that no endpoint is sent. */
  leftOut?: readonly string[];
  /** Fields that have another name in this API. */
  fieldNames?: Readonly<Record<string, string>>;
  /** The body of an answer in one piece. */
  wholeAnswer: (message: MessageBody) => object;
}

/**
 * Answers a message. The path is the same with and without streaming: upstreams always stream, and a client that does not
 * gets the events put together.
 */
export async function answerMessage(input: MessageEndpointInput, form: AnswerForm): Promise<HttpResponse> {
  const { request, caller } = input;
  const claim = await claimOf(resources.table(), { route: form.route, ...request, payer: caller.payer });
  const context = await openAnswer({ ...input, claim }, (unsent) => leftOutNames(unsent, form));
  return context.streamed ? streamAnswer(context, input, form) : wholeAnswer(context, input, form);
}

/**
 * Waits for the first event, so that a failure before it has its own status; but not for ever, because a client that
 * gets nothing leaves. From then on the answer is a stream, and failures are reported in it.
 */
async function streamAnswer(
  context: AnswerContext,
  { body: { model }, door }: MessageEndpointInput,
  form: AnswerForm,
): Promise<HttpResponse> {
  const { whenSilent, streamBody, streamedRefusals = [] } = form;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    const waitedMs = performance.now() - context.receivedAtMs;
    timer = setTimeout(resolve, Math.max(0, whenSilent.afterMs - waitedMs));
  });
  let isSilent = false;
  try {
    isSilent = (await Promise.race([context.dispatched, patience])) === undefined;
  } catch (error) {
    const isStreamed = error instanceof GatewayError && streamedRefusals.includes(error.kind);
    // answerEvents settles the generation and throws the refusal.
    if (!isStreamed) for await (const _ of answerEvents(context));
  } finally {
    clearTimeout(timer);
  }
  const { requestId, generationId } = context;
  const events = () => withBreaksMeasured(deliveredEvents(context), door);
  const produce = () => streamBody(events(), { requestId, generationId, model, isSilent });
  return streamResponse(answerBody(context, produce, whenSilent), leftOutHeader(leftOutOf(context)));
}

/**
 * The answer in one piece, as soon as it is whole: its settlement is reported while it is on its way. One that takes long
 * is begun before it is there, so that nobody gives up the connection.
 */
async function wholeAnswer(
  context: AnswerContext,
  { waitUntil, door }: MessageEndpointInput,
  form: AnswerForm,
): Promise<HttpResponse> {
  const { message, settled } = deliveredMessage(context);
  const answer = message.then(form.wholeAnswer);
  waitUntil(settled);
  const waitedMs = performance.now() - context.receivedAtMs;
  if (await isThereWithin(answer, Math.max(0, wholeAnswerSilenceMs() - waitedMs))) {
    const body = await answer;
    return jsonResponse<object>(200, body, leftOutHeader(leftOutOf(context)));
  }
  answer.catch((error: unknown) => measureBreak(error, door));
  const body = answerBody(context, () => wholeBody(answer, context.requestId), blanks);
  return streamResponse(body, { 'content-type': 'application/json', ...leftOutHeader(leftOutOf(context)) });
}

/** The names that the client reads of all fields that an endpoint is not sent, each once. */
function leftOutNames(unsent: readonly string[], { leftOut = [], fieldNames = {} }: AnswerForm): string[] {
  const names = new Set([...leftOut, ...unsent.map((name) => fieldNames[name] ?? name)]);
  return [...names].slice(0, MAX_LEFT_OUT);
}

/** Where no endpoint has answered yet, it is the one that is being asked. */
function leftOutOf({ attempts, attemptLog }: AnswerContext): readonly string[] {
  return attempts[attemptLog.index]!.leftOut;
}

/** The events of an answer whose head has gone out. */
async function* withBreaksMeasured<Event>(events: AsyncIterable<Event>, door: Door): AsyncGenerator<Event, void> {
  try {
    yield* events;
  } catch (error) {
    measureBreak(error, door);
    throw error;
  }
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
