/** Reads the body of a streamed answer, piece by piece, for a wire that is translated. */

import type { AnswerBatch } from '../../messages/types.ts';
import { parseForeign, parseForeignExactly } from '../../platform/json/foreign-json.ts';
import { withTrailingTimeout } from '../http/last-words.ts';
import { QuietBound } from '../http/quiet-bound.ts';
import { frameData, SseFrameSplitter } from '../http/sse-frames.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { TranslatedAnswer } from './answer.ts';

const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Reads one wire: it understands what came, and writes it to the answer. Whatever it throws is the provider's failure. */
export interface StreamReader {
  /** Bytes of an event that is not complete. */
  readonly pendingBytes: number;
  feed(chunk: Buffer): void;
  /** The body has ended, or what is left of it is not waited for. */
  end(): void;
}

/**
 * The answer as batches, one for each chunk that says something.
 * @throws {UpstreamError} after what came before it
 */
export async function* translate(
  body: AsyncIterable<Buffer>,
  answer: TranslatedAnswer,
  reader: StreamReader,
): AsyncGenerator<AnswerBatch, void> {
  const quiet = new QuietBound();
  try {
    for await (const chunk of withTrailingTimeout(body, () => answer.isClosing)) {
      const { batch, failure, hasOutput } = answer.reading(() => reader.feed(chunk));
      if (batch) yield batch;
      if (failure) throw failure;
      if (answer.ended) return;
      quiet.count({ bytes: chunk.length, pendingBytes: reader.pendingBytes, hasOutput });
    }
  } catch (error) {
    // An answer that has said how it ends is whole, whatever happens to the connection.
    if (!answer.isClosing) throw error;
  }
  const { batch, failure } = answer.reading(() => reader.end());
  if (batch) yield batch;
  if (failure) throw failure;
}

/**
 * A reader of server-sent events. Characters may be cut anywhere, and no event is larger than 16 MiB.
 * @param on.data - gets the data of each event
 * @param on.end - called after the last event
 */
export function sseReader(on: { data: (data: string) => void; end: () => void }): StreamReader {
  const frames = new SseFrameSplitter(MAX_EVENT_BYTES);
  const read = (frame: Buffer) => {
    const data = frameData(frame);
    if (data !== undefined) on.data(data);
  };
  return {
    get pendingBytes() {
      return frames.pendingBytes;
    },
    feed(chunk) {
      for (const frame of frames.push(chunk)) read(frame);
    },
    end() {
      // The last event may lack its empty line.
      read(frames.rest());
      on.end();
    },
  };
}

/** The JSON of an event. @throws {UpstreamError} for anything else */
export function parseEvent(data: string): unknown {
  return parseFrame(parseForeign, data);
}

/** The same, for wires that write a model's own values as JSON, and not as a text of it: its digits are kept. */
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
