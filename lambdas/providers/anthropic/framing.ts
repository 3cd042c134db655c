import { hasLineSeparator } from '../../platform/sse.ts';
import { frameData, hasEventLine, SseFrameSplitter } from '../http/sse-frames.ts';

/** Maximum size of an event. The largest known events contain encrypted search results. */
const MAX_SSE_FRAME_BYTES = 16 * 1024 * 1024;

export interface Framed {
  json: string;
  /** Received bytes of the event; undefined if the gateway must serialize the event again. */
  raw: Buffer | undefined;
}

/** Splits the body of an answer into events. */
export interface Framing {
  /**
   * Returns the events that a chunk completes; without a chunk, at the end of the body, the remaining event.
   * @throws {UpstreamError} at the first unreadable event, at the call or during the iteration
   */
  read(chunk: Buffer | undefined): Iterable<Framed>;
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
      // Most clients select the handler by the line `event:`, and some end lines at other separators than the standard's.
      // Frames without that line, or with such separators, are serialized again.
      read.push({ json, raw: hasEventLine(frame) && !hasLineSeparator(json) ? frame : undefined });
    }
    return read;
  }
}
