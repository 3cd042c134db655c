import type { AnswerBatch } from '../messages/types.ts';
import type { PullIterator } from '../platform/concurrency/pull-iterator.ts';
import { withTrailingTimeout } from './http/last-words.ts';
import { QuietBound } from './http/quiet-bound.ts';

/** Result of reading one chunk: the events that were read, and the failure that occurred after them, if any. */
export interface Reading {
  /** Events and usage that were read; undefined if there is nothing to forward or to measure. */
  batch: AnswerBatch | undefined;
  failure: unknown;
  /** Whether the chunk contained output of the model, even if no batch has the output yet. */
  hasOutput: boolean;
}

/** Decoder of a streamed answer in the format of one wire. It never throws: any failure is part of a reading. */
export interface ChunkDecoder {
  feed: (chunk: Buffer) => Reading;
  /**
   * Handles the end of the body. After the stop reason, this function is also called if the connection breaks, a chunk
   * is unreadable or the body does not end. It then completes the answer, and returns a failure only if required
   * content is missing.
   */
  end: () => Reading;
  /** Size of an incomplete event, in bytes. */
  readonly pendingBytes: number;
  /** Whether the provider has sent its stop reason. */
  readonly isClosing: boolean;
  /** Whether the last event of the answer was read. */
  readonly ended: boolean;
}

/**
 * Returns the answer in batches, at most one for each chunk of the body, and one at its end.
 * @throws {UpstreamError} after the batches that precede the failure
 */
export function decodedBody(body: AsyncIterable<Buffer>, decoder: ChunkDecoder): PullIterator<AnswerBatch> {
  /** Number of chunks with output of the model. */
  let outputs = 0;
  const chunks = withTrailingTimeout(body, () => decoder.isClosing && outputs);
  const quiet = new QuietBound();
  let isOver = false;
  /** Failure that follows the last batch. */
  let failure: unknown;

  function read(chunk: Buffer): AnswerBatch | undefined {
    const { batch, failure: broken, hasOutput } = decoder.feed(chunk);
    if (hasOutput) outputs += 1;
    const failed = broken ?? quiet.count({ bytes: chunk.length, pendingBytes: decoder.pendingBytes, hasOutput });
    if (failed === undefined && !decoder.ended) return batch;
    void chunks.return();
    // After the stop reason, a failure ends the body without an error, because the answer is complete.
    if (!decoder.isClosing) failure = broken ?? (decoder.ended ? undefined : failed);
    isOver = decoder.ended || failure !== undefined;
    return batch;
  }

  function end(): AnswerBatch | undefined {
    isOver = true;
    const reading = decoder.end();
    failure = reading.failure;
    return reading.batch;
  }

  return {
    async next() {
      while (!isOver) {
        let chunk: Buffer | undefined;
        try {
          chunk = (await chunks.next()).value ?? undefined;
        } catch (error) {
          isOver = !decoder.isClosing;
          // An answer with a stop reason is complete, even if the connection breaks afterwards.
          if (isOver) throw error;
        }
        const batch = chunk ? read(chunk) : end();
        if (batch) return { done: false, value: batch };
      }
      const last = failure;
      failure = undefined;
      if (last !== undefined) throw last;
      return { done: true, value: undefined };
    },
    async return() {
      isOver = true;
      failure = undefined;
      await chunks.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
