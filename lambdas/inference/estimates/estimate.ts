/** An estimate holds no money, writes no records and requests no answer. A provider may count the prompt's tokens. */

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

export interface CandidateCost extends EndpointOfModel {
  least: Money;
  /** Cost of the estimated prompt, at least `least` and at most `most`. */
  input: Money;
  most: Money;
}

export interface Estimate {
  inputTokens: number;
  /** Amount that the request would hold first. */
  held: Money;
  isAdmitted: boolean;
  /** Maximum length of the answer in tokens; undefined unless it is shorter than requested. */
  allowedMaxTokens: number | undefined;
  /**
   * Maximum length in tokens of an answer for which a refused request would be admitted; undefined if there is no such
   * length.
   */
  affordableMaxTokens: number | undefined;
  candidates: CandidateCost[];
  excluded: ExcludedEndpoint[];
  limits: LimitRoom[];
  freeLimits: FreeRoom[];
}

/** Parts of a request that an estimate needs. The generation's id is used only for the time that it contains. */
export type EstimateInput<Body = unknown> = Pick<
  InferenceInput<Body>,
  'body' | 'caller' | 'generationId' | 'request' | 'clientLeft'
>;

/**
 * Returns the result of an admission without placing the hold.
 * @throws {GatewayError} 401 or 403 for a caller that may not spend, and refusals that the result cannot express
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

function isReportedRefusal({ kind }: AdmissionRefusal): boolean {
  return kind === 'no_room' || kind === 'free_requests' || kind === 'free_budget';
}

/**
 * Builds the estimate from the preview of the hold.
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
 * Returns the costs of a request at one endpoint.
 * @param prompt estimated usage of the prompt at this endpoint
 */
export function costAt(
  { model, endpoint, pricing }: UsableEndpoint,
  prompt: TokenUsage,
  { least, most }: Pick<CandidateCost, 'least' | 'most'>,
): CandidateCost {
  // `least` includes the price of input units that the gateway counts before the request, such as characters.
  const input = Money.max(priceUsage(prompt, pricing).total, least);
  return { model, endpoint, least, input: Money.min(input, most), most };
}
