import type { EndpointSums } from '../store/statistics/endpoint-slots.ts';
import { addTo } from './histogram.ts';

export function noSums(): EndpointSums {
  return { requests: 0, failures: 0, latencyMs: new Map(), throughput: new Map() };
}

export function addSums(sums: EndpointSums, more: EndpointSums): void {
  sums.requests += more.requests;
  sums.failures += more.failures;
  for (const [bucket, count] of more.latencyMs) addTo(sums.latencyMs, bucket, count);
  for (const [bucket, count] of more.throughput) addTo(sums.throughput, bucket, count);
}

export function summed(parts: Iterable<readonly [endpointId: string, EndpointSums]>): Map<string, EndpointSums> {
  const all = new Map<string, EndpointSums>();
  for (const [endpointId, sums] of parts) {
    const own = all.get(endpointId) ?? noSums();
    addSums(own, sums);
    all.set(endpointId, own);
  }
  return all;
}
