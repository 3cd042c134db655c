import { UpstreamError } from './upstream-error.ts';

/**
 * The Responses API repeats long instructions in several events before its first output, and some models send an empty event for
 * each token of hidden reasoning.
 */
const MAX_QUIET_BYTES = 32 * 1024 * 1024;

/**
 * Bounds what a provider sends between two outputs of its answer: comments, pings, empty and unknown events. An event that is not
 * complete is not counted: its own size is bounded.
 */
export class QuietBound {
  #bytes = 0;
  #pendingBytes = 0;

  /**
   * @param read.pendingBytes of an event whose end has not come
   * @param read.hasOutput the bytes completed a piece of the answer
   * @throws {UpstreamError}
   */
  count(read: { bytes: number; pendingBytes: number; hasOutput: boolean }): void {
    this.#bytes = read.hasOutput ? 0 : this.#bytes + this.#pendingBytes + read.bytes - read.pendingBytes;
    this.#pendingBytes = read.pendingBytes;
    if (this.#bytes > MAX_QUIET_BYTES) {
      throw new UpstreamError('malformed', 'The provider sent 32 MiB without continuing its answer');
    }
  }
}
