import type { AnswerBatch } from '../../messages/types.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { parseForeign, parseForeignExactly } from '../../platform/json/foreign-json.ts';
import { decodedBody } from '../decoded-body.ts';
import { frameData, SseFrameSplitter } from '../http/sse-frames.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { TranslatedAnswer } from './answer.ts';

const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Parser for one wire. Exceptions count as failures of the provider. */
export interface StreamReader {
  readonly pendingBytes: number;
  feed(chunk: Buffer): void;
  /**
   * Handles the end of the body. After the stop reason, it is also called for a broken or endless body. It then
   * completes the answer, and throws only if required content is missing.
   */
  end(): void;
}

/**
 * Returns the answer in batches, at most one for each chunk, and one at the end.
 * @throws {UpstreamError} after the batches that precede the failure
 */
export function translate(
  body: AsyncIterable<Buffer>,
  answer: TranslatedAnswer,
  reader: StreamReader,
): PullIterator<AnswerBatch> {
  return decodedBody(body, {
    feed: (chunk) => answer.reading(() => reader.feed(chunk)),
    end: () => answer.reading(() => reader.end()),
    get pendingBytes() {
      return reader.pendingBytes;
    },
    get isClosing() {
      return answer.isClosing;
    },
    get ended() {
      return answer.ended;
    },
  });
}

/**
 * Creates a reader of server-sent events. A chunk may end anywhere.
 * @param on.end - called after the last event, even if that event is cut off or unreadable. Throws if the answer is
 *   incomplete.
 */
export function sseReader(on: { data: (data: string) => void; end: () => void }): StreamReader {
  const frames = new SseFrameSplitter(MAX_EVENT_BYTES);
  const read = (frame: Buffer) => {
    const data = frameData(frame);
    if (data !== undefined) for (const event of eventsIn(data)) on.data(event);
  };
  return {
    get pendingBytes() {
      return frames.pendingBytes;
    },
    feed(chunk) {
      for (const frame of frames.push(chunk)) read(frame);
    },
    end() {
      let failure: unknown;
      try {
        // The empty line after the last event may be missing.
        read(frames.rest());
      } catch (error) {
        failure = error;
      }
      try {
        on.end();
      } catch (error) {
        throw failure ?? error;
      }
    },
  };
}

/**
 * Splits the data of a frame into events. Some servers separate events by only one line feed, so a frame may contain
 * several events.
 */
function eventsIn(data: string): string[] {
  if (!data.includes('\n') || isEvent(data)) return [data];
  const lines = data.split('\n').filter((line) => line.trim() !== '');
  return lines.every(isEvent) ? lines : [data];
}

function isEvent(data: string): boolean {
  if (data.trim() === '[DONE]') return true;
  try {
    parseForeign(data);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses the JSON of an event.
 * @throws {UpstreamError} if the text is not JSON, or has too many values
 */
export function parseEvent(data: string): unknown {
  return parseFrame(parseForeign, data);
}

/**
 * Parses the JSON of an event exactly: some wires send values that the model wrote, such as arguments, as JSON values.
 * @throws {UpstreamError} as `parseEvent`
 */
export function parseEventExactly(data: string): unknown {
  return parseFrame(parseForeignExactly, data);
}

function parseFrame(parse: (text: string) => unknown, data: string): unknown {
  try {
    return parse(data);
  } catch {
    throw new UpstreamError('malformed', 'The provider sent an event that is not JSON, or has too many values');
  }
}
