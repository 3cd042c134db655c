/**
 * Reads the service tier that a provider of OpenAI's APIs used. A priority tier costs more than the catalog's price.
 */

import type { WireUsage } from '../../messages/types.ts';

/** Tiers at the standard price, as OpenAI, Azure and Groq name them. */
const usualTiers: ReadonlySet<unknown> = new Set(['default', 'standard', 'auto', 'on_demand', '']);

/** Tier names that may be passed on to clients and logs. Any other value becomes "other". */
const TIER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/**
 * Adds `service_tier` to a usage if the provider used another tier, so that the gateway raises its alarm for unpriced
 * usage.
 */
export function withServiceTier(usage: WireUsage, served: unknown): WireUsage {
  if (typeof served !== 'string' || usualTiers.has(served)) return usage;
  return { ...usage, service_tier: TIER_NAME.test(served) ? served : 'other' };
}
