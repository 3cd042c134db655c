/**
 * What a request may cost, before it is made: its candidates, prices and limits are those of a request that is made, by the same
 * functions. Nothing is held, written or recorded, and no provider is asked for an answer.
 */

import { previewHold, type HoldPreview, type LimitRoom } from '../../admission/hold-preview.ts';
import type { FreeRoom } from '../../admission/free/free-tier.ts';
import { inputCostOf } from '../../admission/new-generation.ts';
import { refusalError, type AdmissionRefusal } from '../../admission/refusal.ts';
import { maxAnswerTokens } from '../../admission/spending-plan.ts';
import { Money } from '../../money/money.ts';
import { resources } from '../../resources.ts';
import type { ExcludedEndpoint, ExclusionList, EndpointOfModel } from '../../routing/exclusions.ts';
import type { UsableEndpoint } from '../../routing/usable-endpoints.ts';
import { admissionOf, type HoldTerms } from '../hold-inference.ts';
import type { InferenceInput } from '../inference-input.ts';

/** What a request may cost at one candidate. */
export interface CandidateCost extends EndpointOfModel {
  /** Lower bound on the cost of an answer. */
  least: Money;
  /** The prompt alone, by its estimated tokens. The least of a video, whose prompt is not charged. */
  input: Money;
  /** With the longest answer. */
  most: Money;
}

export interface Estimate {
  inputTokens: number;
  /** Held at once. */
  held: Money;
  isAdmitted: boolean;
  /** The longest answer that there is room for, where it is shorter than what was asked for. */
  allowedMaxTokens: number | undefined;
  /** The longest answer with which a refused request would be admitted; undefined where there is none. */
  affordableMaxTokens: number | undefined;
  /** In the order in which they are tried. */
  candidates: CandidateCost[];
  excluded: ExcludedEndpoint[];
  limits: LimitRoom[];
  freeLimits: FreeRoom[];
}

/** Of the request that is estimated; an id is told to nobody, and only says when it came in. */
export type EstimateInput<Body = unknown> = Pick<
  InferenceInput<Body>,
  'body' | 'caller' | 'generationId' | 'request' | 'clientLeft'
>;

/** Foresees what would be held for a request. @throws {GatewayError} 401 and 403 for who may spend nothing */
export async function previewInference(
  { caller, generationId }: EstimateInput,
  terms: HoldTerms,
): Promise<HoldPreview> {
  const input = { caller, generationId, receivedAtMs: 0, clientLeft: undefined };
  const admission = admissionOf(resources.bootId(), input, terms);
  const preview = await previewHold(resources.table(), admission, caller.scopes);
  const { tried } = preview;
  if ('refused' in tried && !isForeseen(tried.refused.refusal)) {
    throw refusalError(tried.refused.refusal, tried.refused.request);
  }
  return preview;
}

/** Whether an estimate tells a refusal as a figure: others it is answered with itself. */
function isForeseen({ kind }: AdmissionRefusal): boolean {
  return kind === 'no_room' || kind === 'free_requests' || kind === 'free_budget';
}

/** @param estimatedTokens of the prompt at the first candidate */
export function estimateOf(
  { tried, amount, limits, freeLimits }: HoldPreview,
  estimatedTokens: number,
  candidates: CandidateCost[],
  exclusions: ExclusionList,
): Estimate {
  const { plan } = tried;
  const bounds = plan.quotes.map(({ bound }) => bound.promptTokens);
  return {
    inputTokens: Math.min(estimatedTokens, ...bounds),
    held: amount,
    isAdmitted: 'placed' in tried,
    allowedMaxTokens: 'placed' in tried && tried.shortened ? maxAnswerTokens(plan) : undefined,
    affordableMaxTokens: 'refused' in tried ? tried.refused.request.affordableTokens || undefined : undefined,
    candidates,
    excluded: exclusions.all(),
    limits,
    freeLimits,
  };
}

/** @param estimatedTokens of the prompt at this endpoint */
export function costAt(
  { model, endpoint, pricing }: UsableEndpoint,
  estimatedTokens: number,
  { least, most }: Pick<CandidateCost, 'least' | 'most'>,
): CandidateCost {
  return { model, endpoint, least, input: Money.min(inputCostOf(estimatedTokens, pricing), most), most };
}
