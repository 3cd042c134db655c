/** The service tier that a provider of OpenAI's APIs served: a tier with priority costs more than the catalog's price. */

import type { WireUsage } from '../../messages/types.ts';

/** Tiers with the usual price, as OpenAI, Azure and Groq name them. */
const usualTiers: ReadonlySet<unknown> = new Set(['default', 'standard', 'auto', 'on_demand', '']);

/** Names of tiers that reach clients and logs as they are; any other value becomes "other". */
const TIER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** Adds `service_tier` to a usage if the provider served an unusual tier, so that the gateway raises its alarm for unpriced usage. */
export function withServiceTier(usage: WireUsage, served: unknown): WireUsage {
  if (typeof served !== 'string' || usualTiers.has(served)) return usage;
  return { ...usage, service_tier: TIER_NAME.test(served) ? served : 'other' };
}
