/**
 * Computes the maximum cost of an answer at each candidate before anything is sent. The answer may take several
 * requests to the provider, for example one per question of a decision.
 */

import { addBounds, inputUpperBound, priceUpperBound, type UsageBound } from '../../accounting/price.ts';
import { estimateTokens, type TokenUsage } from '../../accounting/usage.ts';
import { measurePrompt, promptBound, textBytesBound } from '../../admission/prompt/prompt-size.ts';
import type { Quote, SpendingPlan } from '../../admission/spending-plan.ts';
import { promptPieces } from '../../catalog/unit-lists.ts';
import { Money } from '../../money/money.ts';
import type { BatchRequest, BatchEngine } from '../../providers/batch-engine.ts';
import type { WireTarget } from '../../providers/wire.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { UsableEndpoint } from '../../routing/usable-endpoints.ts';
import { MAX_ROUNDS } from '../../store/generations/outcome.ts';
import type { Offer } from '../failover.ts';

/** An endpoint that can currently do a task of a modality. */
export interface BatchCandidate<Task = unknown, Answer = unknown> extends UsableEndpoint {
  engine: BatchEngine<Task, Answer>;
  target: WireTarget;
}

export interface BatchOffer<Task = unknown, Answer = unknown> extends Offer {
  candidate: BatchCandidate<Task, Answer>;
  /**
   * Upper bound on the usage of each request to the provider. The bodies of these requests are not kept in memory, but
   * encoded again before they are sent.
   */
  bounds: UsageBound[];
  /** Estimated input usage of all requests together. */
  input: TokenUsage;
}

/** Creates the errors for a task that would take too many bytes, or too many requests to a provider. */
export interface OfferRefusals {
  tooLarge: (maxMebibytes: number) => Error;
  tooMany: (requests: number, maxRequests: number) => Error;
}

/** Maximum size in bytes of all requests of one task together. All of them may wait in memory at the same time. */
const MAX_BYTES = 32 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/**
 * Computes the maximum cost of a task at each candidate that can do the task.
 * @throws {GatewayError} the first candidate's refusal, if the task is too large for every candidate, or no candidate
 *   can express it
 */
export function prepareOffers<Task, Answer>(
  candidates: readonly BatchCandidate<Task, Answer>[],
  task: Task,
  refusals: OfferRefusals,
  onExcluded?: OnExcluded,
): BatchOffer<Task, Answer>[] {
  const offerFrom = (candidate: BatchCandidate<Task, Answer>, offers: readonly BatchOffer[]) => {
    if (candidate.isOnlyFirst && offers.some((offer) => offer.candidate.model.id === candidate.model.id)) {
      onExcluded?.(candidate, 'no_fallbacks');
      return undefined;
    }
    return { index: offers.length, ...offerOf(candidate, task, refusals) };
  };
  return acceptedBy(candidates, offerFrom, onExcluded);
}

/**
 * Returns the results of a function for the candidates. A candidate for which the function throws a refusal is
 * excluded. A candidate for which it returns undefined has no result.
 * @throws {GatewayError} the first refusal, if there is no result
 */
export function acceptedBy<Candidate extends BatchCandidate<never>, Result>(
  candidates: readonly Candidate[],
  accept: (candidate: Candidate, before: readonly Result[]) => Result | undefined,
  onExcluded: OnExcluded | undefined,
): Result[] {
  const results: Result[] = [];
  let refusal: unknown;
  for (const candidate of candidates) {
    try {
      const result = accept(candidate, results);
      if (result !== undefined) results.push(result);
    } catch (error) {
      refusal ??= error;
      onExcluded?.(candidate, 'request_not_supported', error);
    }
  }
  if (results.length === 0) throw refusal;
  return results;
}

function offerOf<Task, Answer>(
  candidate: BatchCandidate<Task, Answer>,
  task: Task,
  { tooLarge, tooMany }: OfferRefusals,
): Omit<BatchOffer<Task, Answer>, 'index'> {
  const bounds: UsageBound[] = [];
  const input: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  let bytes = 0;
  for (const batchRequest of candidate.engine.batchRequests(task, candidate.target)) {
    bytes += Buffer.byteLength(batchRequest.request.body);
    if (bytes > MAX_BYTES) throw tooLarge(MAX_BYTES / MEBIBYTE);
    bounds.push(boundOf(batchRequest, candidate));
    input.inputTokens += estimatedInputTokens(batchRequest);
    for (const { usage: unit } of promptPieces) {
      const { estimated } = batchRequest.pieces?.[unit] ?? {};
      if (estimated !== undefined) input[unit] = (input[unit] ?? 0) + estimated;
    }
  }
  if (bounds.length > MAX_ROUNDS) throw tooMany(bounds.length, MAX_ROUNDS);
  return { candidate, bounds, input, hasHiddenReasoning: candidate.target.quirks.hidden_reasoning === true };
}

/** Returns the estimated tokens of the prompt of one request to the provider. */
export function estimatedInputTokens({ estimatedTokens, request: { body } }: BatchRequest): number {
  return estimatedTokens ?? estimateTokens(Buffer.byteLength(body));
}

/** Returns the upper bound on the usage of one request to the provider. */
export function boundOf(
  { request: { body }, outputTokens, inputs = 1, repeated, promptTokens, pieces = {} }: BatchRequest,
  { endpoint }: BatchCandidate,
): UsageBound {
  const { quirks } = endpoint;
  const contextLength = (endpoint.contextLength ?? Infinity) * inputs;
  const sentTokens = promptTokens ?? promptBound(NOTHING_ELSE, body.toString(), { contextLength, quirks });
  return {
    ...Object.fromEntries(Object.entries(pieces).map(([field, { max }]) => [field, max])),
    promptTokens: Math.min(contextLength, sentTokens + repeatedTokens(repeated, inputs)),
    outputTokens,
    // Some providers write to a prompt cache and charge for the write, even if the request has no cache breakpoint.
    cacheWrites: '5m',
  };
}

/** Maximum number of tokens that the provider's prompt template adds to the repeated text and one input. */
const TEMPLATE_TOKENS = 128;

function repeatedTokens(text: string | undefined, inputs: number): number {
  return text === undefined ? 0 : (inputs - 1) * textBytesBound(text) + inputs * TEMPLATE_TOKENS;
}

/**
 * Request without messages, for `measurePrompt`: the size of the body already bounds the prompt. Requests whose bodies
 * do not bound it, as with images, have their own `promptTokens`. All characters are those of texts.
 */
const NOTHING_ELSE = { ...measurePrompt({ model: '', messages: [] }), wideBytes: Infinity };

/**
 * Plans a hold of the maximum cost at the most expensive candidate. Unlike a message, such a request cannot get a
 * shorter answer, so there is no smaller hold.
 */
export function planOf(offers: readonly BatchOffer[]): SpendingPlan {
  const priced = offers.map((offer) => {
    const { candidate, bounds } = offer;
    return {
      quote: sumOfQuotes(bounds, candidate),
      amount: maxCostOf(offer),
      inputAmount: Money.sum(bounds.map((bound) => inputUpperBound(bound, candidate.held.pricing))),
    };
  });
  const mostExpensive = priced.reduce((a, b) => (b.amount.exceeds(a.amount) ? b : a));
  const quotes = priced.map(({ quote }) => quote);
  return {
    quotes,
    stepTokens: mostExpensive.quote.bound.outputTokens,
    amount: mostExpensive.amount,
    inputAmount: mostExpensive.inputAmount,
  };
}

/** Returns the upper bound on the total cost of all requests to one candidate. */
export function maxCostOf({ candidate, bounds }: BatchOffer): Money {
  return Money.sum(bounds.map((bound) => priceUpperBound(bound, candidate.held.pricing)));
}

function sumOfQuotes(bounds: readonly UsageBound[], { held: { pricing } }: BatchCandidate): Quote {
  const bound = bounds.reduce(addBounds);
  return { pricing, bound, hiddenReasoningTokens: bound.outputTokens, beyondMaxTokens: 0 };
}
