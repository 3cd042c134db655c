import { priceUsage } from '../accounting/price.ts';
import type { Endpoint, Model } from '../catalog/catalog.ts';
import type { Pricing } from '../catalog/schema.ts';
import type { Money } from '../money/money.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { PendingGeneration } from '../store/generations/generation.ts';
import type { Payer } from '../store/accounts/payer.ts';

/** The earliest time at which a hold may be swept: after any function, which Lambda stops after 15 minutes at most. */
const HOLD_EXPIRES_AFTER_MS = 20 * 60_000;

/** The facts of a generation that are known before its hold. */
export interface NewGeneration {
  id: string;
  payer: Payer;
  apiType: PendingGeneration['apiType'];
  streamed: boolean;
  /** The probable size of its prompt: charged when nothing was measured. */
  estimatedTokens: number;
  candidate: { model: Model; endpoint: Endpoint; pricing: Pricing };
  bootId: string;
  /** Where more than one function works on it, one after the other. */
  sweptAfterMs?: number | undefined;
}

/** A generation before its hold, as its first candidate would answer it. */
export function newGeneration({
  id,
  payer,
  apiType,
  streamed,
  estimatedTokens,
  candidate: { model, endpoint, pricing },
  bootId,
  sweptAfterMs = HOLD_EXPIRES_AFTER_MS,
}: NewGeneration): Omit<PendingGeneration, 'hold'> {
  const createdAtMs = generationTimeMs(id)!;
  return {
    id,
    payer,
    apiType,
    model: model.id,
    modelPermaslug: model.data.permaslug,
    endpointId: endpoint.id,
    providerName: endpoint.provider.name,
    pricing,
    catalogVersion: model.catalogVersion,
    streamed,
    createdAtMs,
    inputEstimate: { tokens: estimatedTokens, cost: inputCostOf(estimatedTokens, pricing) },
    bootId,
    sweepAtMs: createdAtMs + sweptAfterMs,
  };
}

/** The price of a prompt of probably this size, with no answer. */
export function inputCostOf(estimatedTokens: number, pricing: Pricing): Money {
  return priceUsage({ inputTokens: estimatedTokens, outputTokens: 0 }, pricing).total;
}
