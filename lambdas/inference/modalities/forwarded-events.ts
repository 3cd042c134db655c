import { errorEnvelope } from '../../platform/errors.ts';
import { KEEP_ALIVE, sseEvent } from '../../platform/sse.ts';
import type { ClientStream } from '../batch/forward-stream.ts';

/** Returns a stream of server-sent events. By default, a failure has the form of OpenAI's error event. */
export function forwardedEvents<Event>(
  requestId: string,
  events: Pick<ClientStream<Event>, 'chunk' | 'last' | 'failure'>,
): ClientStream<Event> {
  return {
    contentType: 'text/event-stream; charset=utf-8',
    failure: (error) => sseEvent(errorEnvelope(error, requestId)),
    comment: KEEP_ALIVE,
    ...events,
  };
}
