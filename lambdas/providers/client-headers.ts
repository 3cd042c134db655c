import type { ClientHeaders } from './wire.ts';

const OLDEST_VERSION = '2023-06-01';

/** The Messages API's own headers; a client without a version means the one that asked for none. */
export function clientHeaders(headers: Record<string, string>): ClientHeaders {
  return {
    anthropicVersion: headers['anthropic-version'] || OLDEST_VERSION,
    anthropicBeta: headers['anthropic-beta'] || undefined,
  };
}

/** Since 2026-10-21 the Messages API refuses sampling parameters, so the gateway must not add any. */
export function acceptsSampling({ anthropicVersion }: ClientHeaders): boolean {
  return anthropicVersion === OLDEST_VERSION;
}
