import type { EndpointStatistics } from '../catalog/endpoint-statistics.ts';
import { refreshed } from '../platform/concurrency/refreshing-value.ts';

interface KnownMeasurement {
  measuredAtMs: number;
  endpoints: Record<string, EndpointStatistics>;
  /** Ids of the providers whose credential is set; undefined if unknown. */
  liveProviders: readonly string[] | undefined;
}

export interface Statistics {
  statisticsOf: (endpointId: string) => EndpointStatistics | undefined;
  /** Whether a provider's credential is set; undefined if unknown. */
  isLive: (providerId: string) => boolean | undefined;
  /** Reads the measurements again, at most every 30 seconds. Never rejects. */
  refresh: () => Promise<void>;
}

const MEASUREMENT_REFRESH_MS = 30_000;
/** Age in ms from which a measurement is ignored; a worker normally measures every minute. */
const MAX_MEASUREMENT_AGE_MS = 10 * 60_000;

export function openStatistics(read: () => Promise<KnownMeasurement[]>, nowMs: () => number): Statistics {
  const measurements = refreshed(read, { name: 'statistics of endpoints', everyMs: MEASUREMENT_REFRESH_MS, nowMs });
  const recent = () =>
    (measurements.value() ?? []).filter(({ measuredAtMs }) => nowMs() - measuredAtMs < MAX_MEASUREMENT_AGE_MS);
  return {
    statisticsOf: (endpointId) =>
      recent().find(({ endpoints }) => Object.hasOwn(endpoints, endpointId))?.endpoints[endpointId],
    isLive: (providerId) => recent()[0]?.liveProviders?.includes(providerId),
    refresh: () => measurements.refresh(),
  };
}
