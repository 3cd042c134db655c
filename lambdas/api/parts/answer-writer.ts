import type { AnswerEvent } from '../../messages/types.ts';
import type { Sink } from '../../platform/concurrency/sink.ts';

/** Converts the events of one answer to the format of one API. */
export interface AnswerWriter {
  /** Returns the events in the API's format; empty if the client gets none of them. */
  write: (batch: AnswerEvent[]) => string | Uint8Array;
  /** Returns the last part of a failed stream. */
  fail: (error: unknown) => string;
}

/** Writes a streamed answer: one write for each batch of events. */
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
