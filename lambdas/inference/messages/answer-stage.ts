import type { Charged } from '../../accounting/charge.ts';
import type { TokenUsage } from '../../accounting/usage.ts';
import type { Quote } from '../../admission/spending-plan.ts';
import type { AnswerBatch, MessageDelta } from '../../messages/types.ts';
import { Money } from '../../money/money.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { Outcome } from '../../store/generations/outcome.ts';
import type { Attempt, Dispatched } from './dispatch.ts';
import type { Stop } from './early-end.ts';

export interface RoundBatch extends AnswerBatch {
  stop?: Stop | undefined;
}

export interface StagedAnswer {
  /** Total usage of all requests to the provider (rounds) so far. */
  readonly usage: TokenUsage;
  /** Prompt tokens of the finished round; undefined if the provider has not counted them. */
  readonly countedPrompt: number | undefined;
  /**
   * Holds a cost in addition to all costs so far.
   * @returns the reason why the answer must end instead, or undefined
   */
  holdMore: (cost: Money) => Promise<Stop | undefined>;
  /**
   * Holds the maximum cost of the prompt and the first output of one more round.
   * @returns the reason why the answer must end instead, or undefined
   */
  beginRound: (quote: Quote, estimatedInputTokens: number) => Promise<Stop | undefined>;
}

/** The gateway's own work for an answer, such as web searches. */
export interface AnswerStage {
  prepare: (attempts: Attempt[]) => Promise<Attempt[]>;
  /** Returns the batches of the whole answer. */
  batches: (first: Dispatched, answer: StagedAnswer) => PullIterator<RoundBatch>;
  /** Price of the gateway's own work so far, such as web searches. */
  spent: (quote: Quote) => Money;
  withPurchases: (tokens: Charged, quote: Quote) => Charged;
  /** Returns the members of the client's usage object that are not token counts. */
  shownUsage: (usage: TokenUsage) => MessageDelta['usage'];
  withResults: (outcome: Outcome) => Outcome;
}

export const passThrough: AnswerStage = {
  prepare: (attempts) => Promise.resolve(attempts),
  batches: ({ batches }) => batches,
  spent: () => Money.zero,
  withPurchases: (tokens) => tokens,
  shownUsage: () => ({}),
  withResults: (outcome) => outcome,
};
