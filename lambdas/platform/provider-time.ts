/**
 * How long one request has been with providers: from the moment when the first of them had all of it, until the last that any of them
 * sent. What the gateway does in between, as for a second attempt or a search, is part of it. Moments are of the monotonic clock.
 */
export class ProviderTime {
  #firstSentAtMs: number | undefined;
  #lastReceivedAtMs: number | undefined;

  /** A provider has got the whole request. */
  sent(): void {
    this.#firstSentAtMs ??= performance.now();
  }

  /** Something has come from a provider, or its failure. */
  received(): void {
    this.#lastReceivedAtMs = performance.now();
  }

  /** @returns the gateway's own milliseconds before the first provider had the request; null where none had it */
  sinceReceipt(receivedAtMs: number): number | null {
    return this.#firstSentAtMs === undefined ? null : Math.max(0, this.#firstSentAtMs - receivedAtMs);
  }

  /** @returns milliseconds; null where no provider had the request. One that has sent nothing yet is still waited for. */
  spent(): number | null {
    if (this.#firstSentAtMs === undefined) return null;
    return Math.max(0, (this.#lastReceivedAtMs ?? performance.now()) - this.#firstSentAtMs);
  }
}
