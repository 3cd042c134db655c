import { addBounds, inputUpperBound, priceUpperBound, type UsageBound } from '../../accounting/price.ts';
import { estimateTokens, type PromptUsage, type TokenUsage } from '../../accounting/usage.ts';
import { measurePrompt, promptBound, textBytesBound } from '../../admission/prompt/prompt-size.ts';
import type { Quote, SpendingPlan } from '../../admission/spending-plan.ts';
import { estimatedUnits } from '../../catalog/unit-lists.ts';
import { Money } from '../../money/money.ts';
import type { BatchRequest, BatchEngine } from '../../providers/batch-engine.ts';
import type { WireTarget } from '../../providers/wire.ts';
import { acceptedBy, type OnExcluded } from '../../routing/exclusions.ts';
import type { UsableEndpoint } from '../../routing/usable-endpoints.ts';
import { MAX_ROUNDS } from '../../store/generations/outcome.ts';
import type { Offer } from '../failover.ts';

export interface BatchCandidate<Task = unknown, Answer = unknown> extends UsableEndpoint {
  engine: BatchEngine<Task, Answer>;
  target: WireTarget;
}

export interface BatchOffer<Task = unknown, Answer = unknown> extends Offer {
  candidate: BatchCandidate<Task, Answer>;
  /** Upper bounds on the usage, one for each request to the provider. */
  bounds: UsageBound[];
  /** Estimated input usage of all requests together. */
  input: TokenUsage;
}

export interface OfferRefusals {
  tooLarge: (maxMebibytes: number) => Error;
  tooMany: (requests: number, maxRequests: number) => Error;
}

/** Maximum size in bytes of all request bodies of one task together. */
const MAX_BYTES = 32 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/**
 * Prepares the requests and bounds of a task for each candidate.
 * @throws {GatewayError} the first refusal, if no candidate accepts the task
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
    addEstimate(input, batchRequest);
  }
  if (bounds.length > MAX_ROUNDS) throw tooMany(bounds.length, MAX_ROUNDS);
  return { candidate, bounds, input, hasHiddenReasoning: candidate.target.quirks.hidden_reasoning === true };
}

function addEstimate(sum: TokenUsage, batchRequest: BatchRequest): void {
  const prompt: PromptUsage = estimatedPromptOf(batchRequest);
  sum.inputTokens += prompt.inputTokens;
  for (const { part, usage: field } of estimatedUnits) {
    const estimated = part === 'piece' ? batchRequest.pieces?.[field]?.estimated : prompt[field];
    if (estimated !== undefined) sum[field] = (sum[field] ?? 0) + estimated;
  }
}

/** Returns the estimated prompt of one request. */
export function estimatedPromptOf({
  estimatedPrompt,
  request: { body },
}: BatchRequest): NonNullable<BatchRequest['estimatedPrompt']> {
  return estimatedPrompt ?? { inputTokens: estimateTokens(Buffer.byteLength(body)) };
}

/** Returns the upper bound on the usage of one request. */
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

/** Assumed maximum number of tokens that a provider's prompt template adds to one input. */
const TEMPLATE_TOKENS = 128;

function repeatedTokens(text: string | undefined, inputs: number): number {
  return text === undefined ? 0 : (inputs - 1) * textBytesBound(text) + inputs * TEMPLATE_TOKENS;
}

/**
 * Empty prompt, so that only the size of the body bounds the tokens. If the body does not bound them, such as with
 * images, the request has its own `promptTokens`.
 */
const NOTHING_ELSE = { ...measurePrompt({ model: '', messages: [] }), wideBytes: Infinity };

/** Plans a hold of the maximum cost at the most expensive candidate; the answer cannot be shortened. */
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

/** Upper bound on the total cost of all requests to one candidate. */
export function maxCostOf({ candidate, bounds }: BatchOffer): Money {
  return Money.sum(bounds.map((bound) => priceUpperBound(bound, candidate.held.pricing)));
}

function sumOfQuotes(bounds: readonly UsageBound[], { held: { pricing } }: BatchCandidate): Quote {
  const bound = bounds.reduce(addBounds);
  return { pricing, bound, hiddenReasoningTokens: bound.outputTokens, beyondMaxTokens: 0 };
}
