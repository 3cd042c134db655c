/**
 * Measures the time that one request spends with providers: from the moment when the first provider has received the
 * whole request, to the last byte from any provider. The gateway's own work in between, such as a search before a
 * second request, counts too.
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
   * Returns the time in ms from `receivedAtMs` until the first provider had received the whole request; null if none
   * has.
   */
  sinceReceipt(receivedAtMs: number): number | null {
    return this.#firstSentAtMs === undefined ? null : Math.max(0, this.#firstSentAtMs - receivedAtMs);
  }

  /**
   * Returns the time in ms with providers, up to now if no byte has arrived; null if no provider has received the
   * request.
   */
  spent(): number | null {
    if (this.#firstSentAtMs === undefined) return null;
    return Math.max(0, (this.#lastReceivedAtMs ?? performance.now()) - this.#firstSentAtMs);
  }
}
