import type { ProviderTime } from '../platform/provider-time.ts';

/**
 * Returns the `server-timing` header (W3C Server Timing) of an answer that starts now. It has the gateway's own time
 * and, if a request was sent, the time spent waiting for providers, in ms.
 */
export function serverTiming(receivedAtMs: number, providerTime: ProviderTime): string {
  const wholeMs = performance.now() - receivedAtMs;
  const providerMs = providerTime.spent();
  const gateway = `gateway;dur=${Math.max(0, wholeMs - (providerMs ?? 0)).toFixed(1)}`;
  return providerMs === null ? gateway : `${gateway}, provider;dur=${providerMs.toFixed(1)}`;
}
