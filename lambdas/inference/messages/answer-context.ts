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

/** State of one answer, from the first request to a provider until settlement. */
export interface AnswerContext {
  generationId: string;
  /** Claim that ties the request's `Idempotency-Key` to the generation; undefined without that header. */
  claim: InferenceInput<unknown>['claim'];
  report: SettlementSender;
  remember: RoutedMessage['remember'];
  extender: HoldExtender;
  /**
   * Attempts in their order. If no provider answers, the record names the last attempt that was made. `leftOut` has the
   * client's field names. The encoded requests are not kept: they may be large, and an answer may take minutes.
   */
  attempts: Pick<Attempt, 'candidate' | 'quote' | 'leftOut'>[];
  attemptLog: AttemptLog;
  /** Resolves when an answer has begun and its generation is recorded. */
  dispatched: Promise<Dispatched>;
  estimatedInputTokens: number;
  receivedAtMs: number;
  requestId: string;
  /** True if the client gets the answer as events. False if the client gets one message at the end. */
  streamed: boolean;
  /**
   * Reason why the answer must be shorter than requested, as an error for the client; undefined if the answer is not
   * limited.
   */
  shortened: GatewayError | undefined;
  /**
   * Original texts of the placeholders in the protected prompt; undefined if the prompt has no placeholders to restore.
   */
  originals: ReadonlyMap<string, string> | undefined;
  /** The gateway's own work for this answer, for example web searches. */
  stage: AnswerStage;
  /** Aborts the request to the provider. */
  abort: AbortController;
}

/** The usage of an answer measured so far, and the attempt that the answer comes from. */
export interface MeasuredAnswer {
  context: AnswerContext;
  /** The attempt, with the upper bound of the current request to the provider (round). */
  attempt: AnswerContext['attempts'][number];
  /** Usage meter of the current request to the provider (round). */
  meter: UsageMeter;
  /** Charges of the earlier requests to the provider (rounds), if the answer took several. */
  rounds: readonly Charged[];
}

/** Returns whether the provider has sent any output, in the current request (round) or an earlier one. */
export function hasOutput({ meter, rounds }: MeasuredAnswer): boolean {
  return rounds.length > 0 || meter.hasOutput;
}
