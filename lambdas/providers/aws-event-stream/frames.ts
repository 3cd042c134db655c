/**
 * Cuts a body into the frames of AWS' event stream encoding: four bytes of length, four of the headers' length, a checksum
 * of these eight, headers, payload, and a checksum of it all.
 *
 * Cost: a frame is copied once, when it is complete. What is kept is bounded, because a length is believed only with its
 * checksum, and up to the size of the largest event.
 */

import { crc32 } from 'node:zlib';
import { UpstreamError } from '../http/upstream-error.ts';

const PRELUDE_BYTES = 12;
/** The prelude and the checksum at the end. */
const MIN_FRAME_BYTES = PRELUDE_BYTES + 4;
/** AWS allows 24 MB; the largest events of models are pieces of text, and documents of a few megabytes. */
const MAX_AWS_FRAME_BYTES = 16 * 1024 * 1024;

export class EventStreamFrames {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Of the frame that is coming, once its prelude is there. */
  #frameBytes: number | undefined;

  /** Bytes of a frame that is not complete. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  /** The frames that a chunk completes, one after the other. @throws {UpstreamError} for what is no frame. */
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
    throw new UpstreamError('malformed', 'The provider sent something that is not an event stream');
  }
  if (bytes > MAX_AWS_FRAME_BYTES) throw new UpstreamError('malformed', 'An event of the stream is too large');
  return bytes;
}
