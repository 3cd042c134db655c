/** Reports the service tier (price class) that a provider applied to a request. */

import type { WireUsage } from '../../messages/types.ts';

/** Names of tiers at the standard price. */
const usualTiers: ReadonlySet<string> = new Set([
  'default',
  'standard',
  'auto',
  'on_demand',
  'service_tier_standard',
  'service_tier_unspecified',
  '',
]);

/** Matches tier names that clients and logs may get. Any other value becomes "other". */
const TIER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** Adds `service_tier` to the usage if the tier does not have the standard price. */
export function withServiceTier(usage: WireUsage, served: unknown): WireUsage {
  const tier = typeof served === 'string' ? served.toLowerCase() : '';
  if (usualTiers.has(tier)) return usage;
  return { ...usage, service_tier: TIER_NAME.test(tier) ? tier : 'other' };
}
