import { AnswerStream } from '../../http/answer-stream.ts';
import { measureBreak } from '../../http/failure-metrics.ts';
import { streamResponse, type HttpResponse } from '../../http/response.ts';
import { abortWhenLeft, destroyWhenOutOfTime } from '../../inference/abort.ts';
import type { ClientStream, ForwardedAnswer } from '../../inference/batch/forward-stream.ts';
import type { EntryPoint } from '../../platform/metrics.ts';
import { leftOutHeader } from './left-out-header.ts';

/** Time in ms of silence after which a comment is sent. Some clients close a stream after 20 silent seconds. */
const COMMENT_AFTER_MS = 10_000;

/**
 * Builds the response for an answer whose first content has arrived. The body is read from the provider only as fast as
 * the client reads. If the client disconnects, the request to the provider is aborted.
 */
export function forwardedResponse(
  { abort, send, leftOut }: ForwardedAnswer,
  { contentType, comment }: Pick<ClientStream<never>, 'contentType' | 'comment'>,
  entryPoint: EntryPoint,
): HttpResponse {
  const body = new AnswerStream(
    (sink, readerLeft) => {
      abortWhenLeft(abort, readerLeft);
      return send(sink, (failure) => measureBreak(failure, entryPoint));
    },
    comment === undefined ? undefined : { chunk: comment, afterMs: COMMENT_AFTER_MS },
  );
  destroyWhenOutOfTime(body, abort.signal);
  return streamResponse(body, { 'content-type': contentType, ...leftOutHeader(leftOut) });
}
