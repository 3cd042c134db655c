/** Measured performance of an endpoint. A value is null if there were too few requests in its time window. */
export interface EndpointStatistics {
  /**
   * Percentage of requests that did not fail. Invalid requests (400, 413, 422) and too frequent requests (429) do not
   * count.
   */
  uptimePercent: { last5m: number | null; last30m: number | null; last1d: number | null };
  /** Time to the first event in milliseconds, over the last 30 minutes. */
  latencyMs: Percentiles | null;
  /** Tokens per second of complete answers, over the last 30 minutes. */
  throughput: Percentiles | null;
}

/** Half of the values (p50), three quarters (p75) and so on are as good or better. */
export interface Percentiles {
  p50: number;
  p75: number;
  p90: number;
  p99: number;
}
