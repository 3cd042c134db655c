import { refusedBeta, unfitForHeader } from '../messages/priced-betas.ts';
import { invalidRequest } from '../platform/errors.ts';
import type { ClientHeaders } from './wire.ts';

const OLDEST_VERSION = '2023-06-01';

/**
 * Returns the client's headers that providers with the Messages API get.
 * @throws {GatewayError} 400 for a header that cannot be sent, or for a refused beta, such as a beta with other prices
 */
export function clientHeaders(headers: Record<string, string>): ClientHeaders {
  refusePricedBetas(headers['anthropic-beta'] ?? '');
  const version = headers['anthropic-version'] || OLDEST_VERSION;
  const unfit = unfitForHeader(version);
  if (unfit) throw invalidRequest('anthropic-version', unfit.message);
  return {
    anthropicVersion: version,
    anthropicBeta: headers['anthropic-beta'] || undefined,
  };
}

/**
 * Returns whether the version is newer than the oldest. With newer versions, Anthropic rejects sampling parameters
 * since 2026-10-21.
 */
export function isNewVersion({ anthropicVersion }: ClientHeaders): boolean {
  return anthropicVersion !== OLDEST_VERSION;
}

/**
 * Refuses a header with a beta that the gateway does not allow.
 * @throws {GatewayError} 400; names the beta, unless its characters do not fit a header
 */
export function refusePricedBetas(header: string): void {
  const refused = refusedBeta(header.split(',').map((name) => name.trim()));
  if (refused) throw invalidRequest('anthropic-beta', refused.message, {}, refused.details);
}
