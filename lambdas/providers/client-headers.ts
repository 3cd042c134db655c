import { refusedBeta } from '../messages/priced-betas.ts';
import { invalidRequest } from '../platform/errors.ts';
import type { ClientHeaders } from './wire.ts';

const OLDEST_VERSION = '2023-06-01';

/**
 * Reads the Messages API headers of the client's request. The default of `anthropic-version` is the oldest version.
 * @throws {GatewayError} 400 for a beta that the gateway refuses, for example because it changes the provider's prices
 */
export function clientHeaders(headers: Record<string, string>): ClientHeaders {
  refusePricedBetas(headers['anthropic-beta'] ?? '');
  return {
    anthropicVersion: headers['anthropic-version'] || OLDEST_VERSION,
    anthropicBeta: headers['anthropic-beta'] || undefined,
  };
}

/**
 * Returns whether the client names a version of the Messages API other than the oldest. Since 2026-10-21, Anthropic
 * rejects sampling parameters with newer versions.
 */
export function isNewVersion({ anthropicVersion }: ClientHeaders): boolean {
  return anthropicVersion !== OLDEST_VERSION;
}

/** @throws {GatewayError} 400 naming the beta that the gateway refuses */
export function refusePricedBetas(header: string): void {
  const refused = refusedBeta(header.split(',').map((name) => name.trim()));
  if (refused) throw invalidRequest('anthropic-beta', refused.message, {}, refused.details);
}
