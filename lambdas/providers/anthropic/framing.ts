import { frameData, hasEventLine, SseFrameSplitter } from '../http/sse-frames.ts';

/** Events carry at most one content block; the largest are encrypted search results. */
const MAX_SSE_FRAME_BYTES = 16 * 1024 * 1024;

/** One event as it came. */
export interface Framed {
  /** Its JSON. */
  json: string;
  /** Its bytes as a client may get them; undefined where they have to be written anew. */
  raw: Buffer | undefined;
}

/** How the events of an answer are told apart. */
export interface Framing {
  /** The events that a chunk completes, or what is left at the end. @throws what was unreadable, after what was not */
  read(chunk: Buffer | undefined): Iterable<Framed>;
  /** Bytes of an event that is not complete. */
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
      // Most clients dispatch on the line `event:`; a frame without one is written anew.
      yield { json, raw: hasEventLine(frame) ? frame : undefined };
    }
  }
}
