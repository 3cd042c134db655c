/**
 * Time that one request has spent with providers: from the moment when the first of them had received all of it, until
 * the last byte from any of them. The gateway's own work in between, such as a second attempt or a search, is included.
 * Moments are of the monotonic clock.
 */
export class ProviderTime {
  #firstSentAtMs: number | undefined;
  #lastReceivedAtMs: number | undefined;

  /** Call it when a provider has received the whole request. */
  sent(): void {
    this.#firstSentAtMs ??= performance.now();
  }

  /** Call it when a byte or a failure arrives from a provider. */
  received(): void {
    this.#lastReceivedAtMs = performance.now();
  }

  /** @returns the gateway's own milliseconds before the first provider had the request; null if none had it */
  sinceReceipt(receivedAtMs: number): number | null {
    return this.#firstSentAtMs === undefined ? null : Math.max(0, this.#firstSentAtMs - receivedAtMs);
  }

  /**
   * @returns milliseconds up to the last byte, or up to now if there is none yet; null if no provider had the request
   */
  spent(): number | null {
    if (this.#firstSentAtMs === undefined) return null;
    return Math.max(0, (this.#lastReceivedAtMs ?? performance.now()) - this.#firstSentAtMs);
  }
}
