/** Measurements of an endpoint; null if there was too little data. */
export interface EndpointStatistics {
  /** Percent of requests that did not fail. Requests refused by a limit (429) do not count. */
  uptimePercent: { last5m: number | null; last30m: number | null; last1d: number | null };
  /** Time to the first event, in milliseconds, over the last 30 minutes. */
  latencyMs: Percentiles | null;
  /** Tokens per second of complete answers, over the last 30 minutes. */
  throughput: Percentiles | null;
}

/** At least half (p50), three quarters (p75) … of the values are as good or better. */
export interface Percentiles {
  p50: number;
  p75: number;
  p90: number;
  p99: number;
}
