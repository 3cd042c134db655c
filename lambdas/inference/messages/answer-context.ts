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

export interface AnswerContext {
  generationId: string;
  claim: InferenceInput<unknown>['claim'];
  report: SettlementSender;
  remember: RoutedMessage['remember'];
  extender: HoldExtender;
  /** Attempts without their encoded requests, which may be large. `leftOut` has the client's field names. */
  attempts: Pick<Attempt, 'candidate' | 'quote' | 'leftOut'>[];
  attemptLog: AttemptLog;
  /** Resolves when an answer has begun and its generation is recorded. */
  dispatched: Promise<Dispatched>;
  estimatedInputTokens: number;
  receivedAtMs: number;
  requestId: string;
  /** False if the client gets one message at the end. */
  streamed: boolean;
  /** Error that explains to the client why the answer must be shorter than requested. */
  shortened: GatewayError | undefined;
  /** Original texts of the placeholders in the protected prompt. */
  originals: ReadonlyMap<string, string> | undefined;
  stage: AnswerStage;
  abort: AbortController;
}

export interface MeasuredAnswer {
  context: AnswerContext;
  /** The attempt, with the upper bound of the current round. */
  attempt: AnswerContext['attempts'][number];
  meter: UsageMeter;
  /** Charges of the earlier rounds. */
  rounds: readonly Charged[];
}

/** Whether the provider has sent any output in this or an earlier round. */
export function hasOutput({ meter, rounds }: MeasuredAnswer): boolean {
  return rounds.length > 0 || meter.hasOutput;
}
