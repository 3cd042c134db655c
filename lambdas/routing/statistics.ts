import type { EndpointStatistics } from '../catalog/endpoint-statistics.ts';
import { refreshed } from '../platform/refreshed.ts';

/** What was measured at one time, or a part of it. */
interface Measurement {
  measuredAtMs: number;
  endpoints: Record<string, EndpointStatistics>;
}

/** How endpoints have been doing, as it was measured in the last minutes. */
export interface Statistics {
  /** Undefined where nothing is known. */
  statisticsOf: (endpointId: string) => EndpointStatistics | undefined;
  /** Reads the measurement again, every 30 seconds at most. Inference does not wait for it. Never rejects. */
  refresh: () => Promise<void>;
}

const REFRESH_EVERY_MS = 30_000;
/** A measurement is made every minute: an older one than this says nothing about now. */
const MAX_AGE_MS = 10 * 60_000;

export function openStatistics(read: () => Promise<Measurement[]>, nowMs: () => number): Statistics {
  const measurements = refreshed(read, { name: 'statistics of endpoints', everyMs: REFRESH_EVERY_MS, nowMs });
  return {
    statisticsOf(endpointId) {
      const recent = (measurements.value() ?? []).filter(({ measuredAtMs }) => nowMs() - measuredAtMs < MAX_AGE_MS);
      return recent.find(({ endpoints }) => Object.hasOwn(endpoints, endpointId))?.endpoints[endpointId];
    },
    refresh: () => measurements.refresh(),
  };
}
