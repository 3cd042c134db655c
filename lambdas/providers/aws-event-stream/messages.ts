/** Reads messages in AWS's event stream encoding: events, or an exception that ends the stream. */

import { EventStreamCodec } from '@smithy/core/event-streams';
import { parseForeign, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { EventStreamFrames } from './frames.ts';

export interface EventStreamMessage {
  kind: 'event' | 'exception';
  /** Name of the event or exception, such as `contentBlockDelta` or `throttlingException`. */
  type: string;
  /** JSON of an event. An exception usually has JSON with a `message`, but may have any text. */
  payload: string;
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** Converts an exception to the form of a JSON error body, in which `__type` has the exception's name. */
export function exceptionOf({ type, payload }: EventStreamMessage): Record<string, unknown> {
  let members: unknown;
  try {
    members = parseForeign(payload);
  } catch {
    // Without JSON, the exception's name is enough to classify the error.
  }
  return { ...recordOrEmpty(members), __type: type };
}

/**
 * Splits the body of an answer into messages.
 * @throws {UpstreamError} at the first unreadable message, during iteration
 */
export class EventStreamMessages {
  readonly #frames = new EventStreamFrames();

  get pendingBytes(): number {
    return this.#frames.pendingBytes;
  }

  *push(chunk: Buffer): Generator<EventStreamMessage, void> {
    for (const frame of this.#frames.push(chunk)) {
      const message = eventMessage(frame);
      if (message) yield message;
    }
  }
}

/**
 * Decodes a frame.
 * @returns the message in the frame; undefined for an unknown kind of message
 */
function eventMessage(frame: Buffer): EventStreamMessage | undefined {
  const { headers, body } = decodedPayload(frame);
  const text = (name: string) => {
    const header = headers[name];
    return header?.type === 'string' ? header.value : '';
  };
  const payload = Buffer.from(body).toString('utf8');
  switch (text(':message-type')) {
    case 'event':
      return { kind: 'event', type: text(':event-type'), payload };
    case 'exception':
      return { kind: 'exception', type: text(':exception-type'), payload };
    case 'error':
      // A message of the type `error` has its code and text in headers, and no payload.
      return {
        kind: 'exception',
        type: text(':error-code'),
        payload: JSON.stringify({ message: text(':error-message') }),
      };
    default:
      return undefined;
  }
}

function decodedPayload(frame: Buffer) {
  try {
    return codec.decode(frame);
  } catch (error) {
    throw new UpstreamError('malformed', 'The provider sent a damaged event', error);
  }
}
