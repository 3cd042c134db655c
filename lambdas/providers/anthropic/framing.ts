import { frameData, hasEventLine, SseFrameSplitter } from '../http/sse-frames.ts';

/** Events carry at most one content block. The largest ones are encrypted search results. */
const MAX_SSE_FRAME_BYTES = 16 * 1024 * 1024;

/** One event as it was received. */
export interface Framed {
  /** Its JSON text. */
  json: string;
  /** Its bytes, if they may be forwarded; undefined if the event must be written anew. */
  raw: Buffer | undefined;
}

/** Splits the body of an answer into events. */
export interface Framing {
  /**
   * Events that a chunk completes, or the rest at the end of the body.
   * @throws the first error, after the events before it
   */
  read(chunk: Buffer | undefined): Iterable<Framed>;
  /** Size of an incomplete event, in bytes. */
  readonly pendingBytes: number;
}

/** Server-sent events. */
export class SseFraming implements Framing {
  readonly #splitter = new SseFrameSplitter(MAX_SSE_FRAME_BYTES);

  get pendingBytes(): number {
    return this.#splitter.pendingBytes;
  }

  *read(chunk: Buffer | undefined): Generator<Framed, void> {
    for (const frame of chunk ? this.#splitter.push(chunk) : [this.#splitter.rest()]) {
      const json = frameData(frame);
      if (json === undefined || json === '[DONE]') continue;
      // Most clients dispatch on the line `event:`, so a frame without it is written anew.
      yield { json, raw: hasEventLine(frame) ? frame : undefined };
    }
  }
}
