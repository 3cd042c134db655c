/** The most that an answer of several requests may come to at each candidate, before anything is sent. */

import { priceUpperBound, type UsageBound } from '../../accounting/price.ts';
import { measurePrompt, promptBound } from '../../admission/prompt/prompt-size.ts';
import type { Quote, SpendingPlan } from '../../admission/spending-plan.ts';
import { Money } from '../../money/money.ts';
import type { Ask, AskReader } from '../../providers/asks.ts';
import type { WireTarget } from '../../providers/wire.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { UsableEndpoint } from '../../routing/usable-endpoints.ts';
import { MAX_ROUNDS } from '../../store/generations/outcome.ts';
import type { Offer } from '../failover.ts';

/** An endpoint whose answers an engine reads. */
export interface BatchCandidate extends UsableEndpoint {
  engine: AskReader;
  target: WireTarget;
}

export interface BatchOffer<Candidate extends BatchCandidate = BatchCandidate> extends Offer {
  candidate: Candidate;
  /** Of all that may be asked: the texts themselves are written once more when they are sent. */
  bounds: UsageBound[];
  bytes: number;
}

/** The requests to a candidate, and how a client's request is refused that would take too much. */
export interface AskPlan<Candidate> {
  /** All that may be sent to it, or requests as large. @throws {GatewayError} 400 for what it cannot be asked */
  asksOf: (candidate: Candidate) => Iterable<Ask>;
  tooLarge: (maxMebibytes: number) => Error;
  tooMany: (asks: number, maxAsks: number) => Error;
}

/** All requests may wait to be sent at the same time. */
const MAX_BYTES = 32 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/** @throws {GatewayError} 400 where no candidate can be asked so much */
export function prepareOffers<Candidate extends BatchCandidate>(
  candidates: readonly Candidate[],
  plan: AskPlan<Candidate>,
  onExcluded?: OnExcluded,
): BatchOffer<Candidate>[] {
  const offers: BatchOffer<Candidate>[] = [];
  let refusal: unknown;
  for (const candidate of candidates) {
    if (candidate.isOnlyFirst && offers.some((offer) => offer.candidate.model.id === candidate.model.id)) {
      onExcluded?.(candidate, 'no_fallbacks');
      continue;
    }
    try {
      offers.push({ index: offers.length, ...offerOf(candidate, plan) });
    } catch (error) {
      refusal ??= error;
      onExcluded?.(candidate, 'request_not_supported', error);
    }
  }
  if (offers.length === 0) throw refusal;
  return offers;
}

function offerOf<Candidate extends BatchCandidate>(
  candidate: Candidate,
  { asksOf, tooLarge, tooMany }: AskPlan<Candidate>,
): Omit<BatchOffer<Candidate>, 'index'> {
  const bounds: UsageBound[] = [];
  let bytes = 0;
  for (const ask of asksOf(candidate)) {
    bytes += Buffer.byteLength(ask.request.body);
    if (bytes > MAX_BYTES) throw tooLarge(MAX_BYTES / MEBIBYTE);
    bounds.push(boundOf(ask, candidate));
  }
  if (bounds.length > MAX_ROUNDS) throw tooMany(bounds.length, MAX_ROUNDS);
  return { candidate, bounds, bytes, hasHiddenReasoning: candidate.target.quirks.hidden_reasoning === true };
}

/** The most that one request to the provider may use. */
export function boundOf(
  { request: { body }, outputTokens, inputs = 1 }: Ask,
  { endpoint }: BatchCandidate,
): UsageBound {
  const { contextLength = Infinity, quirks } = endpoint;
  return {
    promptTokens: promptBound(measurePrompt(NOTHING_ELSE), body, { contextLength: contextLength * inputs, quirks }),
    outputTokens,
    // Providers may cache, and charge for it, what they were not asked to.
    cacheWrites: '5m',
    pricedImages: 0,
    searchRequests: 0,
  };
}

/** Only texts are asked about, all of which are in the body. */
const NOTHING_ELSE = { model: '', messages: [] };

/** Holds for everything that the dearest candidate may be asked: there is no shorter answer to fall back to. */
export function planOf(offers: readonly BatchOffer[]): SpendingPlan {
  const priced = offers.map((offer) => {
    const { candidate, bounds } = offer;
    return {
      quote: sumOfQuotes(bounds, candidate),
      amount: maxCostOf(offer),
      inputAmount: Money.sum(bounds.map((bound) => priceUpperBound({ ...bound, outputTokens: 0 }, candidate.pricing))),
    };
  });
  const dearest = priced.reduce((a, b) => (b.amount.exceeds(a.amount) ? b : a));
  const quotes = priced.map(({ quote }) => quote);
  return {
    quotes,
    stepTokens: dearest.quote.bound.outputTokens,
    amount: dearest.amount,
    inputAmount: dearest.inputAmount,
  };
}

/** The most that everything may cost which a candidate may be asked. */
export function maxCostOf({ candidate, bounds }: BatchOffer): Money {
  return Money.sum(bounds.map((bound) => priceUpperBound(bound, candidate.pricing)));
}

function sumOfQuotes(bounds: readonly UsageBound[], { pricing }: BatchCandidate): Quote {
  const sum = (of: (bound: UsageBound) => number) => bounds.reduce((total, bound) => total + of(bound), 0);
  const outputTokens = sum((bound) => bound.outputTokens);
  const bound = { ...bounds[0]!, promptTokens: sum(({ promptTokens }) => promptTokens), outputTokens };
  return { pricing, bound, hiddenReasoningTokens: outputTokens, beyondMaxTokens: 0 };
}
