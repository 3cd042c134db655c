/**
 * Splits a body into frames of AWS's event stream encoding. A frame has a prelude (the lengths of frame and headers,
 * and their checksum), headers, a payload, and a checksum.
 *
 * Memory is bounded, because a length is accepted only with a valid checksum, and only up to MAX_AWS_FRAME_BYTES.
 */

import { crc32 } from 'node:zlib';
import { UpstreamError } from '../http/upstream-error.ts';

const PRELUDE_BYTES = 12;
/** Minimum size of a frame: its prelude and its checksum. */
const MIN_FRAME_BYTES = PRELUDE_BYTES + 4;
/** Maximum size of a frame. AWS allows 24 MB. The largest known events of models are documents of a few megabytes. */
const MAX_AWS_FRAME_BYTES = 16 * 1024 * 1024;

export class EventStreamFrames {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Total length of the incomplete frame; undefined until its prelude has arrived. */
  #frameBytes: number | undefined;

  get pendingBytes(): number {
    return this.#bytes;
  }

  /**
   * Yields the frames that a chunk completes.
   * @throws {UpstreamError} for data that is not a frame, and for a frame that is too large
   */
  *push(chunk: Buffer): Generator<Buffer, void> {
    if (chunk.length === 0) return;
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      if (this.#frameBytes === undefined && this.#bytes >= PRELUDE_BYTES)
        this.#frameBytes = frameLength(this.#joined());
      if (this.#frameBytes === undefined || this.#bytes < this.#frameBytes) return;
      yield this.#take(this.#frameBytes);
    }
  }

  #take(bytes: number): Buffer {
    const all = this.#joined();
    const rest = all.subarray(bytes);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    this.#frameBytes = undefined;
    return all.subarray(0, bytes);
  }

  #joined(): Buffer {
    const [first, ...more] = this.#pieces;
    if (more.length > 0) this.#pieces = [Buffer.concat(this.#pieces)];
    return more.length > 0 ? this.#pieces[0]! : first!;
  }
}

function frameLength(prelude: Buffer): number {
  const bytes = prelude.readUInt32BE(0);
  const isWhole = crc32(prelude.subarray(0, 8)) === prelude.readUInt32BE(8);
  if (!isWhole || bytes < MIN_FRAME_BYTES) {
    throw new UpstreamError('malformed', 'The provider sent an answer that is not an event stream');
  }
  if (bytes > MAX_AWS_FRAME_BYTES) throw new UpstreamError('malformed', 'An event of the stream is too large');
  return bytes;
}
