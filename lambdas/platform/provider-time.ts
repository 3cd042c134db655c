/**
 * Measures the time that one request spends with providers: from the moment when the first provider has received the
 * whole request, to the last byte from any provider. The gateway's own work between these two moments, such as a second
 * attempt or a search, is included. The clock is the monotonic clock.
 */
export class ProviderTime {
  #firstSentAtMs: number | undefined;
  #lastReceivedAtMs: number | undefined;

  /** Records that a provider has received the whole request. */
  sent(): void {
    this.#firstSentAtMs ??= performance.now();
  }

  /** Records that a byte or a failure arrived from a provider. */
  received(): void {
    this.#lastReceivedAtMs = performance.now();
  }

  /** @returns the gateway's own time in ms before the first provider had the request; null if no provider had it */
  sinceReceipt(receivedAtMs: number): number | null {
    return this.#firstSentAtMs === undefined ? null : Math.max(0, this.#firstSentAtMs - receivedAtMs);
  }

  /**
   * @returns the time in ms until the last byte, or until now if none has arrived; null if no provider had the request
   */
  spent(): number | null {
    if (this.#firstSentAtMs === undefined) return null;
    return Math.max(0, (this.#lastReceivedAtMs ?? performance.now()) - this.#firstSentAtMs);
  }
}
