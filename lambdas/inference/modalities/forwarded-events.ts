import { errorEnvelope } from '../../platform/errors.ts';
import { KEEP_ALIVE, sseEvent } from '../../platform/sse.ts';
import type { ClientStream } from '../batch/forward-stream.ts';

/**
 * Returns the form of an answer that is forwarded as server-sent events.
 * @param events converts events; the default for a failure is OpenAI's event of an error
 */
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
