import { claimOf } from '../../admission/request-claim.ts';
import { AnswerStream, type WhenSilent, type WriteAnswer } from '../../http/answer-stream.ts';
import type { EndpointInput } from '../../http/endpoint.ts';
import { measureBreak } from '../../http/failure-metrics.ts';
import { jsonResponse, streamResponse, type HttpResponse } from '../../http/response.ts';
import { abortWhenLeft, destroyWhenOutOfTime } from '../../inference/abort.ts';
import { sendAnswer } from '../../inference/messages/answer.ts';
import type { AnswerContext } from '../../inference/messages/answer-context.ts';
import { deliverAnswer, deliveredMessage } from '../../inference/messages/delivered-answer.ts';
import { openAnswer } from '../../inference/messages/open-answer.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { AnswerEvent, MessageBody } from '../../messages/types.ts';
import type { Sink } from '../../platform/concurrency/sink.ts';
import { GatewayError, type ErrorKind } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import { MAX_LEFT_OUT } from '../../store/generations/outcome.ts';
import type { RouteName } from '../../routes.ts';
import { writeEvents, type AnswerWriter } from './answer-writer.ts';
import { leftOutHeader } from './left-out-header.ts';
import { blanks, isThereWithin, wholeAnswerSilenceMs, wholeBody } from './whole-body.ts';

/**
 * Time in ms of silence after which a keep-alive chunk is sent. Some clients close a stream after 20 silent seconds.
 */
export const SILENCE_MS = 10_000;

type MessageEndpointInput = EndpointInput<'inference', RoutedRequest>;

export interface StreamStart {
  requestId: string;
  generationId: string;
  /** Model that the client requested. */
  model: string;
}

/** Format of message answers for the clients of one API. */
export interface AnswerForm {
  route: RouteName;
  whenSilent: WhenSilent;
  writer: (start: StreamStart) => AnswerWriter;
  /** Kinds of refusals that clients of this API understand only as stream events after the status 200. */
  streamedRefusals?: readonly ErrorKind[];
  /** Fields of the request that its conversion to the Messages API has left out, so that no endpoint gets them. */
  leftOut?: readonly string[];
  /** Names of fields in this API, by their different names in the Messages API. */
  fieldNames?: Readonly<Record<string, string>>;
  wholeAnswer: (message: MessageBody) => object;
}

/** Answers a message, as a stream or as one body. */
export async function answerMessage(input: MessageEndpointInput, form: AnswerForm): Promise<HttpResponse> {
  const { request, caller } = input;
  const { headers, body, query, pathParameters } = request;
  const sent = { route: form.route, headers, body, query, pathParameters };
  const claim = await claimOf(resources.table(), { ...sent, payer: caller.payer });
  const context = await openAnswer({ ...input, claim }, (unsent) => leftOutNames(unsent, form));
  return context.streamed ? streamAnswer(context, input, form) : wholeAnswer(context, input, form);
}

/**
 * Waits for the first event, so that a failure before it normally has its own HTTP status. The wait is limited, because
 * some clients close a silent connection. Later failures are events of the stream.
 */
async function streamAnswer(
  context: AnswerContext,
  { body: { model }, entryPoint }: MessageEndpointInput,
  form: AnswerForm,
): Promise<HttpResponse> {
  const { whenSilent, streamedRefusals = [] } = form;
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
    // Settles the generation, and throws the failure again.
    if (!isStreamed) await sendAnswer(context, () => true);
  } finally {
    clearTimeout(timer);
  }
  const { requestId, generationId } = context;
  const send = (sink: Sink<AnswerEvent[]>) =>
    deliverAnswer(context, sink).catch((error: unknown) => {
      measureBreak(error, entryPoint);
      throw error;
    });
  const writer = form.writer({ requestId, generationId, model });
  const write: WriteAnswer = async (sink) => {
    // Because of this chunk, the client keeps the connection open.
    if (isSilent) await sink(whenSilent.chunk);
    await writeEvents(send, writer, sink);
  };
  return streamResponse(answerBody(context, write, whenSilent), leftOutHeader(leftOutOf(context)));
}

/**
 * Sends the complete answer, without waiting for its settlement. Before that, a slow answer sends spaces, so that
 * clients keep the connection open.
 */
async function wholeAnswer(
  context: AnswerContext,
  { waitUntil, entryPoint }: MessageEndpointInput,
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
  answer.catch((error: unknown) => measureBreak(error, entryPoint));
  const body = answerBody(context, wholeBody(answer, context.requestId), blanks);
  return streamResponse(body, { 'content-type': 'application/json', ...leftOutHeader(leftOutOf(context)) });
}

/** Returns the fields that an endpoint does not get, by their names in the client's API, up to a maximum number. */
function leftOutNames(unsent: readonly string[], { leftOut = [], fieldNames = {} }: AnswerForm): string[] {
  const names = new Set([...leftOut, ...unsent.map((name) => fieldNames[name] ?? name)]);
  return [...names].slice(0, MAX_LEFT_OUT);
}

/**
 * Returns the fields that the answering endpoint did not get or, before an answer, that the current attempt does not
 * send.
 */
function leftOutOf({ attempts, attemptLog }: AnswerContext): readonly string[] {
  return attempts[attemptLog.index]!.leftOut;
}

/**
 * Aborts the answer when the client disconnects. When the function's timeout is near, the body is destroyed, even if
 * the client has not read all of it.
 */
function answerBody({ abort }: AnswerContext, write: WriteAnswer, whenSilent: WhenSilent): AnswerStream {
  const body = new AnswerStream((sink, readerLeft) => {
    abortWhenLeft(abort, readerLeft);
    return write(sink, readerLeft);
  }, whenSilent);
  destroyWhenOutOfTime(body, abort.signal);
  return body;
}
