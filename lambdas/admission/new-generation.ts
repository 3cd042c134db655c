import { inputEstimateOf } from '../accounting/input-estimate.ts';
import type { PromptUsage } from '../accounting/usage.ts';
import type { Endpoint, Model } from '../catalog/catalog.ts';
import type { Pricing } from '../catalog/schema.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { PendingGeneration } from '../store/generations/generation.ts';
import type { Payer } from '../store/accounts/payer.ts';

/**
 * Time in ms after which the sweep may settle a hold whose handler has died. It is longer than the 15 minutes after
 * which Lambda stops a function.
 */
const HOLD_EXPIRES_AFTER_MS = 20 * 60_000;

export interface NewGeneration {
  id: string;
  payer: Payer;
  apiType: PendingGeneration['apiType'];
  streamed: boolean;
  tags?: PendingGeneration['tags'];
  /** Estimated usage of the prompt, charged if the handler dies before it has measured anything. */
  prompt: PromptUsage;
  candidate: { model: Model; endpoint: Endpoint; pricing: Pricing };
  bootId: string;
  /**
   * Time in ms after which the sweep may settle the hold. Set it if several functions work on the generation one after
   * another.
   */
  sweptAfterMs?: number | undefined;
}

/** Builds a generation without its hold, with the facts of its first candidate. */
export function newGeneration({
  id,
  payer,
  apiType,
  streamed,
  tags,
  prompt,
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
    tags,
    createdAtMs,
    inputEstimate: inputEstimateOf(prompt, pricing),
    bootId,
    sweepAtMs: createdAtMs + sweptAfterMs,
  };
}
