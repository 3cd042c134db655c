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

/** State of one answer, from dispatch to settlement. */
export interface AnswerContext {
  generationId: string;
  /** The claim of the request's `Idempotency-Key`. */
  claim: InferenceInput<unknown>['claim'];
  report: SettlementSender;
  remember: RoutedMessage['remember'];
  extender: HoldExtender;
  /**
   * In the order of attempts. The record names the first one if none answers. The encoded requests are not kept: they
   * may be large, and an answer takes long. `leftOut` has the client's field names.
   */
  attempts: Pick<Attempt, 'candidate' | 'quote' | 'leftOut'>[];
  attemptLog: AttemptLog;
  /** Resolves when an answer has begun and its generation is recorded. */
  dispatched: Promise<Dispatched>;
  estimatedInputTokens: number;
  /** performance.now() when the request was received. */
  receivedAtMs: number;
  requestId: string;
  /** True if the client gets events. Otherwise it gets a message when the events end. */
  streamed: boolean;
  /** Why the answer must be shorter than requested, as an error for the client. */
  shortened: GatewayError | undefined;
  /** Values of the placeholders in the prompt; undefined if nothing is to be restored. */
  originals: ReadonlyMap<string, string> | undefined;
  /** The gateway's own work for this answer, for example searches. */
  stage: AnswerStage;
  /** Aborts the request to the provider. */
  abort: AbortController;
}

/** An answer as measured so far, and the attempt that gives it. */
export interface MeasuredAnswer {
  context: AnswerContext;
  /** With the upper bound of the current round. */
  attempt: AnswerContext['attempts'][number];
  /** Meter of the current round. */
  meter: UsageMeter;
  /** Charges of earlier rounds, if the answer took several requests. */
  rounds: readonly Charged[];
}

/** Whether the provider has written anything, in this round or an earlier one. */
export function hasOutput({ meter, rounds }: MeasuredAnswer): boolean {
  return rounds.length > 0 || meter.hasOutput;
}
