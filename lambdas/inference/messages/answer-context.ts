import type { Charged } from '../../accounting/charge.ts';
import type { UsageMeter } from '../../accounting/meter.ts';
import type { HoldKeeper } from '../../admission/hold-keeper.ts';
import type { Quote } from '../../admission/spending-plan.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { ProviderTime } from '../../platform/provider-time.ts';
import type { QueueSender } from '../../platform/queue.ts';
import type { Candidate } from '../../routing/candidates.ts';
import type { FailedAttempt } from '../in-turn.ts';
import type { Dispatched } from './dispatch.ts';
import type { SharedHealth } from '../../routing/health.ts';
import type { Outcome } from '../../store/outcome.ts';
import type { Payer } from '../../store/payer.ts';
import type { Table } from '../../store/table.ts';
import type { AnswerStage } from './answer-stage.ts';

/** An endpoint that may answer, and what it may charge. */
export interface Attempted {
  candidate: Candidate;
  quote: Quote;
}

/** One answer, from dispatch to settlement. */
export interface AnswerContext {
  generationId: string;
  payer: Payer;
  table: Table;
  queue: QueueSender;
  /** What came of attempts, told to the other instances while the generation is reported. */
  health: Pick<SharedHealth, 'publish'>;
  /** Notes at which endpoint the answer has left its prompt, for the next turn. Never rejects. */
  remember: (candidate: Candidate, outcome: Outcome) => Promise<void>;
  keeper: HoldKeeper;
  /** In the order in which they are tried; the first is named on the record when none answers. */
  attempts: Attempted[];
  /** Resolves once the generation is recorded, too. */
  dispatched: Promise<Dispatched>;
  /** Whether the generation is recorded; otherwise what was held is released, or left to the sweep, and nothing is settled. Never rejects. */
  isRecorded: Promise<boolean>;
  /**
   * The attempt that is under way, or was the last: its index, and performance.now() at which its whole request was sent
   * to the provider; undefined until then. `failed` are the attempts before it.
   */
  current: {
    index: number;
    sentAtMs: number | undefined;
    failed: FailedAttempt[];
    /** How the attempt that is under way has failed, if it has. */
    failure: FailedAttempt | undefined;
  };
  estimatedInputTokens: number;
  providerTime: ProviderTime;
  /** performance.now() at which the request came in. */
  receivedAtMs: number;
  requestId: string;
  /** The client gets events; else it gets a message when they end. */
  streamed: boolean;
  /** Why the answer may only be shorter than was asked for, as its client reads it. */
  shortened: GatewayError | undefined;
  /** What the placeholders of the prompt stand for; undefined where nothing is to be restored. */
  originals: ReadonlyMap<string, string> | undefined;
  /** The work of the gateway for this answer besides passing it on. */
  stage: AnswerStage;
  /** Ends the provider's work; its reason is an AbortReason. */
  abort: AbortController;
}

/** An answer as it was measured so far, and the attempt that gives it. */
export interface MeasuredAnswer {
  context: AnswerContext;
  /** With what the round that goes on may come to. */
  attempted: Attempted;
  /** Of the round that goes on. */
  meter: UsageMeter;
  /** The charges of the rounds before it, where the provider was asked again for the same answer. */
  rounds: readonly Charged[];
}

/** The provider has written something, in this round or an earlier one. */
export function hasOutput({ meter, rounds }: MeasuredAnswer): boolean {
  return rounds.length > 0 || meter.hasOutput;
}
