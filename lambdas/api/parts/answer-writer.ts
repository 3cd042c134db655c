import type { AnswerEvent } from '../../messages/types.ts';
import type { Sink } from '../../platform/concurrency/sink.ts';

/** Converts the events of one streamed answer to the format of one API. */
export interface AnswerWriter {
  /** Returns the bytes of a batch of events; empty if the client does not get any of the events. */
  write: (batch: AnswerEvent[]) => string | Uint8Array;
  /** Returns the bytes of a failure, which end the stream. */
  fail: (error: unknown) => string;
}

/**
 * Writes a streamed answer: one write for each batch of events. A failure of the answer is written as the end of the
 * stream.
 * @param send sends the events of the answer
 */
export async function writeEvents(
  send: (sink: Sink<AnswerEvent[]>) => Promise<void>,
  writer: AnswerWriter,
  sink: Sink<string | Uint8Array>,
): Promise<void> {
  try {
    await send((batch) => {
      const bytes = writer.write(batch);
      return bytes.length === 0 || sink(bytes);
    });
  } catch (error) {
    await sink(writer.fail(error));
  }
}
