/**
 * Measures the time that one request spends with providers: from the moment when the first provider has received the
 * whole request, to the last byte from any provider. What the gateway does in between, such as a second attempt or a
 * search, counts too. The time is measured with the monotonic clock.
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

  /**
   * @returns the time in ms from `receivedAtMs` until the first provider had received the whole request; null if no
   *   provider has received it
   */
  sinceReceipt(receivedAtMs: number): number | null {
    return this.#firstSentAtMs === undefined ? null : Math.max(0, this.#firstSentAtMs - receivedAtMs);
  }

  /**
   * @returns the time in ms with providers, until the last byte or, if none has arrived, until now; null if no provider
   *   has received the request
   */
  spent(): number | null {
    if (this.#firstSentAtMs === undefined) return null;
    return Math.max(0, (this.#lastReceivedAtMs ?? performance.now()) - this.#firstSentAtMs);
  }
}
