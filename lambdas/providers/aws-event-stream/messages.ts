/** What frames of AWS' event stream say: events, and exceptions in their place. */

import { EventStreamCodec } from '@smithy/core/event-streams';
import { parseForeign, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { EventStreamFrames } from './frames.ts';

export interface EventStreamMessage {
  /** An exception ends the stream. */
  kind: 'event' | 'exception';
  /** `contentBlockDelta`, `throttlingException`, … */
  type: string;
  /** JSON of an event; of an exception JSON with a `message`. */
  payload: string;
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** An exception in the form of a body that is one. @param payload JSON with a `message`, or whatever else came */
export function exceptionOf({ type, payload }: EventStreamMessage): Record<string, unknown> {
  let members: unknown;
  try {
    members = parseForeign(payload);
  } catch {
    // Its name says enough.
  }
  return { ...recordOrEmpty(members), __type: type };
}

/** Reads the messages of a body. @throws {UpstreamError} while messages are taken, for the first that nobody can read. */
export class EventStreamMessages {
  readonly #frames = new EventStreamFrames();

  /** Bytes of a message that is not complete. */
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

/** @returns undefined for messages of a kind that the encoding may get */
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
      // An error that the service has no exception for tells itself in headers alone.
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
