import { EventStreamMessages, exceptionOf, type EventStreamMessage } from '../aws-event-stream/messages.ts';
import { parseForeign, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { Framed, Framing } from './framing.ts';

/** Reads Bedrock's event stream. A `chunk` has one of Claude's events, as base64; errors have Bedrock's form. */
export class EventStreamFraming implements Framing {
  readonly #messages = new EventStreamMessages();

  get pendingBytes(): number {
    return this.#messages.pendingBytes;
  }

  *read(chunk: Buffer | undefined): Generator<Framed, void> {
    if (!chunk) return;
    for (const message of this.#messages.push(chunk)) {
      const json = jsonOf(message);
      if (json !== undefined) yield { json, raw: undefined };
    }
  }
}

function jsonOf(message: EventStreamMessage): string | undefined {
  const { kind, type, payload } = message;
  if (kind === 'exception') return JSON.stringify({ type: 'error', error: exceptionOf(message) });
  if (type !== 'chunk') return undefined;
  const bytes = bytesIn(payload);
  if (typeof bytes === 'string') return Buffer.from(bytes, 'base64').toString('utf8');
  throw new UpstreamError('malformed', 'The provider sent an event without its content');
}

function bytesIn(payload: string): unknown {
  try {
    return recordOrEmpty(parseForeign(payload))['bytes'];
  } catch {
    return undefined;
  }
}
