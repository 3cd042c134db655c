/**
 * Estimates the cost of a request without sending it. Candidates, prices and limits come from the same functions as for
 * a real request. An estimate holds no money, writes no records and requests no answer from a provider.
 */

import { priceUsage } from '../../accounting/price.ts';
import type { TokenUsage } from '../../accounting/usage.ts';
import { previewHold, type HoldPreview, type LimitRoom } from '../../admission/hold-preview.ts';
import type { FreeRoom } from '../../admission/free/free-tier.ts';
import { refusalError, type AdmissionRefusal } from '../../admission/refusal.ts';
import { maxAnswerTokens } from '../../admission/spending-plan.ts';
import { Money } from '../../money/money.ts';
import { resources } from '../../resources.ts';
import type { ExcludedEndpoint, ExclusionList, EndpointOfModel } from '../../routing/exclusions.ts';
import type { UsableEndpoint } from '../../routing/usable-endpoints.ts';
import { admissionOf, type HoldTerms } from '../hold-inference.ts';
import type { InferenceInput } from '../inference-input.ts';

/** Estimated cost of a request at one candidate. */
export interface CandidateCost extends EndpointOfModel {
  /** Lower bound on the cost of an answer. */
  least: Money;
  /**
   * Cost of the prompt alone, from its estimated number of tokens, but not less than `least`. For a video, whose prompt
   * is free, this cost equals `least`.
   */
  input: Money;
  /** Cost of the longest possible answer. */
  most: Money;
}

export interface Estimate {
  inputTokens: number;
  /** Amount that would be held when the request starts. */
  held: Money;
  isAdmitted: boolean;
  /** Maximum answer length in tokens that the limits allow; undefined unless it is shorter than requested. */
  allowedMaxTokens: number | undefined;
  /**
   * Length in tokens of an answer for which a refused request would be admitted; undefined if the request is admitted,
   * or even a short answer would be refused.
   */
  affordableMaxTokens: number | undefined;
  /** Candidates in the order of attempts. */
  candidates: CandidateCost[];
  excluded: ExcludedEndpoint[];
  limits: LimitRoom[];
  freeLimits: FreeRoom[];
}

/** Input of an estimate. The generation id, which the client never gets, only supplies the time of the request. */
export type EstimateInput<Body = unknown> = Pick<
  InferenceInput<Body>,
  'body' | 'caller' | 'generationId' | 'request' | 'clientLeft'
>;

/**
 * Computes the hold of a request without placing it.
 * @throws {GatewayError} 401 or 403 for a caller that may not spend, and any refusal that the result cannot express
 */
export async function previewInference(
  { caller, generationId }: EstimateInput,
  terms: HoldTerms,
): Promise<HoldPreview> {
  const input = { caller, generationId, receivedAtMs: 0, clientLeft: undefined };
  const admission = admissionOf(resources.bootId(), input, terms);
  const preview = await previewHold(resources.table(), admission, caller.scopes);
  const { tried } = preview;
  if ('refused' in tried && !isReportedRefusal(tried.refused.refusal)) {
    throw refusalError(tried.refused.refusal, tried.refused.request);
  }
  return preview;
}

/** Returns whether an estimate includes this refusal in its result. Other refusals are thrown. */
function isReportedRefusal({ kind }: AdmissionRefusal): boolean {
  return kind === 'no_room' || kind === 'free_requests' || kind === 'free_budget';
}

/**
 * Builds the result of an estimate.
 * @param estimatedTokens estimated tokens of the prompt at the first candidate
 */
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

/**
 * Returns the estimated cost at one endpoint.
 * @param prompt estimated usage of the prompt at this endpoint
 */
export function costAt(
  { model, endpoint, pricing }: UsableEndpoint,
  prompt: TokenUsage,
  { least, most }: Pick<CandidateCost, 'least' | 'most'>,
): CandidateCost {
  // The lower bound includes units that are counted before the request, such as characters. They belong to the input.
  const input = Money.max(priceUsage(prompt, pricing).total, least);
  return { model, endpoint, least, input: Money.min(input, most), most };
}
