import type { Charged } from '../../accounting/charge.ts';
import type { UsageMeter } from '../../accounting/meter.ts';
import type { HoldExtender } from '../../admission/hold-extender.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { AttemptLog } from '../attempt-log.ts';
import type { SettlementSender } from '../settlement-sender.ts';
import type { InferenceInput } from '../inference-input.ts';
import type { Attempt, Dispatched } from './dispatch.ts';
import type { AnswerStage } from './answer-stage.ts';
import type { RoutedMessage } from './routed-message.ts';

/** One answer, from dispatch to settlement. */
export interface AnswerContext {
  generationId: string;
  /** The `Idempotency-Key` of the request. */
  claim: InferenceInput<unknown>['claim'];
  report: SettlementSender;
  remember: RoutedMessage['remember'];
  extender: HoldExtender;
  /**
   * In the order in which they are tried; the first is named on the record when none answers. What is sent for them is left out: it may be
   * large, and an answer takes long. `leftOut` has the names that the client reads.
   */
  attempts: Pick<Attempt, 'candidate' | 'quote' | 'leftOut'>[];
  attemptLog: AttemptLog;
  /** Resolves once the generation is recorded, too. */
  dispatched: Promise<Dispatched>;
  estimatedInputTokens: number;
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
  /** Ends the provider's work. */
  abort: AbortController;
}

/** An answer as it was measured so far, and the attempt that gives it. */
export interface MeasuredAnswer {
  context: AnswerContext;
  /** With what the round that goes on may come to. */
  attempt: AnswerContext['attempts'][number];
  /** Of the round that goes on. */
  meter: UsageMeter;
  /** The charges of the rounds before it, where the provider was asked again for the same answer. */
  rounds: readonly Charged[];
}

/** The provider has written something, in this round or an earlier one. */
export function hasOutput({ meter, rounds }: MeasuredAnswer): boolean {
  return rounds.length > 0 || meter.hasOutput;
}
