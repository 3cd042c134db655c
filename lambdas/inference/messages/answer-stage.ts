import type { Charged } from '../../accounting/charge.ts';
import type { TokenUsage } from '../../accounting/usage.ts';
import type { Quote } from '../../admission/spending-plan.ts';
import type { AnswerBatch, MessageDelta } from '../../messages/types.ts';
import { Money } from '../../money/money.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { Outcome } from '../../store/generations/outcome.ts';
import type { Attempt, Dispatched } from './dispatch.ts';
import type { Stop } from './early-end.ts';

/** A batch, and the reason if the answer must end after it. */
export interface RoundBatch extends AnswerBatch {
  stop?: Stop | undefined;
}

/** The answer from the view of a stage: its usage so far, and the way to start further rounds. */
export interface StagedAnswer {
  /** Tokens of all rounds so far. */
  readonly usage: TokenUsage;
  /** Prompt tokens of the finished round, if the provider has counted them. */
  readonly countedPrompt: number | undefined;
  /**
   * Holds a cost before it arises, in addition to all costs so far. @returns why the answer must end instead, or
   * undefined
   */
  holdMore: (cost: Money) => Promise<Stop | undefined>;
  /**
   * Holds the maximum cost of one more request for this answer. @returns why the answer must end instead, or undefined
   */
  beginRound: (quote: Quote, estimatedInputTokens: number) => Promise<Stop | undefined>;
}

/**
 * The gateway's own work for an answer, in addition to passing on the provider's events. A stage completes the attempts
 * and processes the batches before the client gets them. It adds its purchases to the charge, to the client's usage and
 * to the record.
 */
export interface AnswerStage {
  /** Completes the attempts before the first of them is sent. */
  prepare: (attempts: Attempt[]) => Promise<Attempt[]>;
  /** The batches of the whole answer. The first come from the attempt that answered. */
  batches: (first: Dispatched, answer: StagedAnswer) => PullIterator<RoundBatch>;
  /** Price of the purchases so far. */
  spent: (quote: Quote) => Money;
  /** The charge of all tokens, with the purchases. */
  withPurchases: (tokens: Charged, quote: Quote) => Charged;
  /** Members of the client's usage in addition to the tokens. */
  shownUsage: (usage: TokenUsage) => MessageDelta['usage'];
  /** The outcome, with the results of the purchases. */
  withResults: (outcome: Outcome) => Outcome;
}

/** Passes on the provider's answer and buys nothing. */
export const passThrough: AnswerStage = {
  prepare: (attempts) => Promise.resolve(attempts),
  batches: ({ batches }) => batches,
  spent: () => Money.zero,
  withPurchases: (tokens) => tokens,
  shownUsage: () => ({}),
  withResults: (outcome) => outcome,
};
