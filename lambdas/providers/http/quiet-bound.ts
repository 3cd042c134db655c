import { UpstreamError } from './upstream-error.ts';

/**
 * Maximum bytes without output. The Responses API repeats long instructions in several events before its first output,
 * and some models send an empty event for each token of hidden reasoning.
 */
const MAX_QUIET_BYTES = 32 * 1024 * 1024;

/** Limits the data between two pieces of output. An incomplete event does not count, because it has its own limit. */
export class QuietBound {
  #bytes = 0;
  #pendingBytes = 0;

  /**
   * Adds the bytes of a chunk, or resets the count if the chunk has output.
   * @returns the failure of the provider if the limit is exceeded
   */
  count(read: { bytes: number; pendingBytes: number; hasOutput: boolean }): UpstreamError | undefined {
    this.#bytes = read.hasOutput ? 0 : this.#bytes + this.#pendingBytes + read.bytes - read.pendingBytes;
    this.#pendingBytes = read.pendingBytes;
    if (this.#bytes <= MAX_QUIET_BYTES) return undefined;
    return new UpstreamError('malformed', 'The provider sent 32 MiB without continuing its answer');
  }
}
