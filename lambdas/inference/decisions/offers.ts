/** What a request for decisions may come to at each candidate, before anything is sent. */

import { priceUpperBound, type UsageBound } from '../../accounting/price.ts';
import { measurePrompt, promptBound } from '../../admission/prompt/prompt-size.ts';
import type { Quote, SpendingPlan } from '../../admission/spending-plan.ts';
import type { Task } from '../../decisions/task.ts';
import { Money } from '../../money/money.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { Ask } from '../../providers/decisions/engine.ts';
import type { DecisionCandidate } from '../../routing/decision-candidates.ts';
import { MAX_ROUNDS } from '../../store/outcome.ts';
import type { Offer } from '../in-turn.ts';

export interface DecisionOffer extends Offer {
  candidate: DecisionCandidate;
  /** Of all that may be asked: the texts themselves are written once more when they are sent. */
  bounds: UsageBound[];
  bytes: number;
}

/** Each request to a provider may repeat the state, and all of them may wait to be sent at the same time. */
const MAX_BYTES = 32 * 1024 * 1024;

/** @throws {GatewayError} 400 where no candidate can be asked so much */
export function prepareOffers(candidates: readonly DecisionCandidate[], task: Task): DecisionOffer[] {
  const offers: DecisionOffer[] = [];
  let refusal: unknown;
  for (const candidate of candidates) {
    if (candidate.isOnlyFirst && offers.some((offer) => offer.candidate.model.id === candidate.model.id)) continue;
    try {
      offers.push(offerOf(candidate, task));
    } catch (error) {
      refusal ??= error;
    }
  }
  if (offers.length === 0) throw refusal;
  return offers;
}

function offerOf(candidate: DecisionCandidate, task: Task): DecisionOffer {
  const bounds: UsageBound[] = [];
  let bytes = 0;
  for (const ask of candidate.engine.maxAsks(task, candidate.target)) {
    bytes += Buffer.byteLength(ask.request.body);
    if (bytes > MAX_BYTES) throw tooLarge();
    bounds.push(boundOf(ask, candidate));
  }
  if (bounds.length > MAX_ROUNDS) throw tooManyQuestions(bounds.length);
  return { candidate, bounds, bytes, hasHiddenReasoning: candidate.target.quirks.hidden_reasoning === true };
}

function tooLarge(): Error {
  return invalidRequest(
    'state',
    `is repeated in requests to this model that come to more than ${MAX_BYTES / 1024 / 1024} MiB; shorten it, or send fewer questions`,
  );
}

function tooManyQuestions(asks: number): Error {
  return invalidRequest(
    'questions',
    `take ${asks} requests to this model, of which one request may take ${MAX_ROUNDS}; send fewer questions, or questions with fewer options`,
  );
}

/** What one request to the provider may use. */
export function boundOf({ request: { body }, outputTokens }: Ask, { endpoint }: DecisionCandidate): UsageBound {
  return {
    promptTokens: promptBound(measurePrompt(NOTHING_ELSE), body, endpoint),
    outputTokens,
    // Providers may cache, and charge for it, what they were not asked to.
    cacheWrites: '5m',
    pricedImages: 0,
    searchRequests: 0,
  };
}

/** A decision is made of text alone, all of which is in the body. */
const NOTHING_ELSE = { model: '', messages: [] };

/** Holds for everything that the dearest candidate may be asked: there is no shorter answer to fall back to. */
export function planOf(offers: readonly DecisionOffer[]): SpendingPlan {
  const priced = offers.map(({ candidate, bounds }) => {
    const { pricing } = candidate;
    const costOf = (bound: UsageBound) => priceUpperBound(bound, pricing);
    return {
      quote: decisionQuote(bounds, candidate),
      amount: Money.sum(bounds.map(costOf)),
      inputAmount: Money.sum(bounds.map((bound) => costOf({ ...bound, outputTokens: 0 }))),
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

function decisionQuote(bounds: readonly UsageBound[], { pricing }: DecisionCandidate): Quote {
  const sum = (of: (bound: UsageBound) => number) => bounds.reduce((total, bound) => total + of(bound), 0);
  const outputTokens = sum((bound) => bound.outputTokens);
  const bound = { ...bounds[0]!, promptTokens: sum(({ promptTokens }) => promptTokens), outputTokens };
  return { pricing, bound, hiddenReasoningTokens: outputTokens, beyondMaxTokens: 0 };
}
