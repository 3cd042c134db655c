/** What has been measured of an endpoint; null where there was too little to measure. */
export interface EndpointStatistics {
  /** Percent of the requests that did not fail; requests that were refused by a limit (429) do not count. */
  uptimePercent: { last5m: number | null; last30m: number | null; last1d: number | null };
  /** To the first event, in milliseconds, over the last 30 minutes. */
  latencyMs: Percentiles | null;
  /** Of complete answers, in tokens per second, over the last 30 minutes. */
  throughput: Percentiles | null;
}

/** Half, three quarters … of the values are at least as good. */
export interface Percentiles {
  p50: number;
  p75: number;
  p90: number;
  p99: number;
}
