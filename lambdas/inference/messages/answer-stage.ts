import type { Charged } from '../../accounting/charge.ts';
import type { TokenUsage } from '../../accounting/usage.ts';
import type { Quote } from '../../admission/spending-plan.ts';
import type { AnswerBatch, MessageDelta } from '../../messages/types.ts';
import { Money } from '../../money/money.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { Outcome } from '../../store/generations/outcome.ts';
import type { Attempt, Dispatched } from './dispatch.ts';
import type { Stop } from './early-end.ts';

/** A batch of events, and the reason if the answer must end after the batch. */
export interface RoundBatch extends AnswerBatch {
  stop?: Stop | undefined;
}

/**
 * Part of an answer that an `AnswerStage` may use: the usage so far, and functions to start further requests to the
 * provider (rounds).
 */
export interface StagedAnswer {
  /** Total tokens of all requests to the provider (rounds) so far. */
  readonly usage: TokenUsage;
  /** Prompt tokens of the finished request (round); undefined if the provider has not counted them. */
  readonly countedPrompt: number | undefined;
  /**
   * Holds a cost in advance, in addition to all costs so far.
   * @returns the reason why the answer must end instead; undefined if the cost is held
   */
  holdMore: (cost: Money) => Promise<Stop | undefined>;
  /**
   * Holds the maximum cost of the prompt and the first output of one more request for this answer.
   * @returns the reason why the answer must end instead; undefined if the cost is held
   */
  beginRound: (quote: Quote, estimatedInputTokens: number) => Promise<Stop | undefined>;
}

/**
 * The gateway's own work for an answer, in addition to forwarding the provider's events. A stage prepares the attempts
 * before they are sent, and processes each batch of events before the client gets it. It adds its purchases (web
 * searches) to the charge, to the client's usage and to the record.
 */
export interface AnswerStage {
  /** Prepares the attempts before the gateway sends the first of them. */
  prepare: (attempts: Attempt[]) => Promise<Attempt[]>;
  /** Returns the batches of the whole answer. The first batches come from the attempt that answered. */
  batches: (first: Dispatched, answer: StagedAnswer) => PullIterator<RoundBatch>;
  /** Returns the price of the purchases so far. */
  spent: (quote: Quote) => Money;
  /** Adds the purchases so far to a charge. */
  withPurchases: (tokens: Charged, quote: Quote) => Charged;
  /** Returns members of the usage object for the client that are not token counts. */
  shownUsage: (usage: TokenUsage) => MessageDelta['usage'];
  /** Adds the results of the purchases to the outcome. */
  withResults: (outcome: Outcome) => Outcome;
}

/** Stage that forwards the provider's answer unchanged and buys nothing. */
export const passThrough: AnswerStage = {
  prepare: (attempts) => Promise.resolve(attempts),
  batches: ({ batches }) => batches,
  spent: () => Money.zero,
  withPurchases: (tokens) => tokens,
  shownUsage: () => ({}),
  withResults: (outcome) => outcome,
};
