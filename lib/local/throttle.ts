/** Token bucket shared by all clients, like API Gateway's throttling of a stage. */
export class Throttle {
  readonly #requestsPerSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledMs = performance.now();

  /**
   * @param requestsPerSecond steady rate
   * @param burst requests at the same moment
   */
  constructor(requestsPerSecond = Infinity, burst = 2 * requestsPerSecond) {
    this.#requestsPerSecond = requestsPerSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Returns whether a request is admitted, and counts it. */
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
