import { frameData, hasEventLine, SseFrameSplitter } from '../http/sse-frames.ts';

/**
 * Maximum size of an event in bytes. An event has at most one content block. The largest known blocks are encrypted
 * search results.
 */
const MAX_SSE_FRAME_BYTES = 16 * 1024 * 1024;

/** One event of an answer. */
export interface Framed {
  /** JSON text of the event. */
  json: string;
  /**
   * Received bytes of the event; undefined if the gateway must serialize the event again instead of forwarding the
   * received bytes.
   */
  raw: Buffer | undefined;
}

/** Splits the body of an answer into events. */
export interface Framing {
  /**
   * Returns the events that a chunk completes. At the end of the body, call this method without a chunk, to get the
   * remaining event.
   * @throws {UpstreamError} at the first unreadable event, at the call or during the iteration
   */
  read(chunk: Buffer | undefined): Iterable<Framed>;
  /** Size of the incomplete event, in bytes. */
  readonly pendingBytes: number;
}

export class SseFraming implements Framing {
  readonly #splitter = new SseFrameSplitter(MAX_SSE_FRAME_BYTES);

  get pendingBytes(): number {
    return this.#splitter.pendingBytes;
  }

  read(chunk: Buffer | undefined): Framed[] {
    const read: Framed[] = [];
    for (const frame of chunk ? this.#splitter.push(chunk) : [this.#splitter.rest()]) {
      const json = frameData(frame);
      if (json === undefined || json === '[DONE]') continue;
      // Most clients select the handler by the line `event:`, so a frame without this line is serialized again.
      read.push({ json, raw: hasEventLine(frame) ? frame : undefined });
    }
    return read;
  }
}
