/** One bucket of tokens for all clients: as API Gateway throttles a stage, so one client that asks too often is felt by all. */
export class Throttle {
  readonly #requestsPerSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledMs = performance.now();

  /**
   * @param requestsPerSecond for as long as one likes; absent where nothing ends that
   * @param burst how many may come at once; as in the gateway's configuration, twice as many as a second has
   */
  constructor(requestsPerSecond = Infinity, burst = 2 * requestsPerSecond) {
    this.#requestsPerSecond = requestsPerSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** @returns whether a request may come in; it is counted then */
  admits(): boolean {
    const nowMs = performance.now();
    const fresh = ((nowMs - this.#filledMs) / 1_000) * this.#requestsPerSecond;
    this.#filledMs = nowMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + fresh);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
