import { UpstreamError } from './upstream-error.ts';

/**
 * Maximum number of bytes that a provider may send without any model output. It is large for two reasons: the Responses
 * API repeats long instructions in several events before its first output, and some models send an empty event for each
 * token of hidden reasoning.
 */
const MAX_QUIET_BYTES = 32 * 1024 * 1024;

/**
 * Limits the data that a provider sends between two pieces of output: comments, pings, empty and unknown events. The
 * bytes of an event count only once it is complete, because events have their own size limit.
 */
export class QuietBound {
  #bytes = 0;
  #pendingBytes = 0;

  /**
   * Adds the bytes of a chunk to the count, or resets the count if the chunk has output.
   * @param read.pendingBytes size of an incomplete event
   * @param read.hasOutput whether the chunk contained output of the model
   * @returns the failure of the provider if the limit is exceeded
   */
  count(read: { bytes: number; pendingBytes: number; hasOutput: boolean }): UpstreamError | undefined {
    this.#bytes = read.hasOutput ? 0 : this.#bytes + this.#pendingBytes + read.bytes - read.pendingBytes;
    this.#pendingBytes = read.pendingBytes;
    if (this.#bytes <= MAX_QUIET_BYTES) return undefined;
    return new UpstreamError('malformed', 'The provider sent 32 MiB without continuing its answer');
  }
}
