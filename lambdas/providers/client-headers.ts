import { refusedBeta, unfitForHeader, withoutPricedBetas } from '../messages/priced-betas.ts';
import { invalidRequest } from '../platform/errors.ts';
import type { ClientHeaders } from './wire.ts';

const OLDEST_VERSION = '2023-06-01';

/**
 * Returns the client's headers that providers with the Messages API get.
 * @throws {GatewayError} 400 for a header that cannot be sent, or for a refused beta
 */
export function clientHeaders(headers: Record<string, string>): ClientHeaders {
  const betas = (headers['anthropic-beta'] ?? '').split(',').map((name) => name.trim());
  const refused = refusedBeta(betas);
  if (refused) throw invalidRequest('anthropic-beta', refused.message, {}, refused.details);
  const version = headers['anthropic-version'] || OLDEST_VERSION;
  const unfit = unfitForHeader(version);
  if (unfit) throw invalidRequest('anthropic-version', unfit.message);
  return {
    anthropicVersion: version,
    anthropicBeta: withoutPricedBetas(betas).join(', ') || undefined,
  };
}

/**
 * Returns whether the version is newer than the oldest. With newer versions, Anthropic rejects sampling parameters
 * since 2026-10-21.
 */
export function isNewVersion({ anthropicVersion }: ClientHeaders): boolean {
  return anthropicVersion !== OLDEST_VERSION;
}
