/**
 * Reports the service tier with which a provider of OpenAI's APIs answered. A priority tier costs more than the
 * catalog's price.
 */

import type { WireUsage } from '../../messages/types.ts';

/** Names of tiers at the standard price, at OpenAI, Azure and Groq. */
const usualTiers: ReadonlySet<unknown> = new Set(['default', 'standard', 'auto', 'on_demand', '']);

/** Matches tier names that may be returned to clients and logged. Any other value becomes "other". */
const TIER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/**
 * Adds `service_tier` to usage of any tier that is not at the standard price. The gateway then raises its alarm for
 * usage without a price.
 */
export function withServiceTier(usage: WireUsage, served: unknown): WireUsage {
  if (typeof served !== 'string' || usualTiers.has(served)) return usage;
  return { ...usage, service_tier: TIER_NAME.test(served) ? served : 'other' };
}
