import type { Charged } from '../../accounting/charge.ts';
import type { TokenUsage } from '../../accounting/usage.ts';
import type { Quote } from '../../admission/spending-plan.ts';
import type { AnswerBatch, MessageDelta } from '../../messages/types.ts';
import { Money } from '../../money/money.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { Outcome } from '../../store/generations/outcome.ts';
import type { Attempt, Dispatched } from './dispatch.ts';
import type { Stop } from './early-end.ts';

/** A batch, and why the answer must end after it. */
export interface RoundBatch extends AnswerBatch {
  stop?: Stop | undefined;
}

/** The answer as a stage sees it: what it has come to, and how the provider may be asked again for it. */
export interface StagedAnswer {
  /** The tokens of all rounds so far. */
  readonly usage: TokenUsage;
  /** The prompt's tokens of the round that is over, where the provider has counted them. */
  readonly countedPrompt: number | undefined;
  /** Holds a cost beside all that was spent, before it arises. @returns why the answer must end instead, or undefined */
  holdMore: (cost: Money) => Promise<Stop | undefined>;
  /** Holds what one more request for this answer may come to. @returns why the answer must end instead, or undefined */
  beginRound: (quote: Quote, estimatedInputTokens: number) => Promise<Stop | undefined>;
}

/**
 * The work of the gateway for an answer besides passing on what the provider sends. A stage completes the attempts, stands
 * between the batches and the client, and adds what it has bought to the charge, to the usage that the client reads and
 * to the record.
 */
export interface AnswerStage {
  /** Completes the attempts before the first of them is asked. */
  prepare: (attempts: Attempt[]) => Promise<Attempt[]>;
  /** The batches of the whole answer, from those of the attempt that answered. */
  batches: (first: Dispatched, answer: StagedAnswer) => PullIterator<RoundBatch>;
  /** The price of what was bought so far. */
  spent: (quote: Quote) => Money;
  /** The charge of all tokens, with what was bought. */
  withPurchases: (tokens: Charged, quote: Quote) => Charged;
  /** Members that the client's usage gets beside the tokens. */
  shownUsage: (usage: TokenUsage) => MessageDelta['usage'];
  /** The record of the answer, with what was bought. */
  withResults: (outcome: Outcome) => Outcome;
}

/** The answer of a provider as it comes; nothing is bought for it. */
export const passThrough: AnswerStage = {
  prepare: (attempts) => Promise.resolve(attempts),
  batches: ({ batches }) => batches,
  spent: () => Money.zero,
  withPurchases: (tokens) => tokens,
  shownUsage: () => ({}),
  withResults: (outcome) => outcome,
};
