import type { NewGeneration } from '../../admission/new-generation.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { Modality } from '../../catalog/modality.ts';
import type { NamedText } from '../../protection/named-texts.ts';
import type { Send } from '../../providers/asks.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { AnswerKind } from '../../routing/usable-endpoints.ts';
import type { BatchCandidate, AskPlan } from '../batch/offers.ts';

/**
 * A modality whose answers are whole: all that differs from other modalities, as one declaration. Routing, protection, holds, estimates and
 * settlement follow from it (routed.ts, answer.ts, estimate.ts).
 */
export interface BatchModality<Body, Task, Candidate extends BatchCandidate, Answer, Result> {
  apiType: NewGeneration['apiType'];
  /** The output modality of its models. */
  makes: Modality;
  /** An endpoint with its engine; undefined if its wire has none for this modality. */
  candidateOf: AnswerKind<Candidate>['toCandidate'];
  /** All texts that a provider reads, and the fields that the client wrote them in. */
  textsOf: (body: Body) => NamedText[];
  /** @throws {GatewayError} 400 for a body with parts that cannot be searched for sensitive data */
  refuseUnsearchable?: (body: Body) => void;
  /** The work for a provider. @param texts those of `textsOf`, perhaps changed by protection */
  taskOf: (body: Body, texts: readonly string[]) => Task;
  /** The probable size of the prompt, in bytes of text. */
  promptBytes: (task: Task) => number;
  /** Where it may go, and what of it names the conversation. */
  routeOf: (body: Body, texts: readonly NamedText[]) => RoutedRequest;
  /** The candidates that take all fields of the task. @throws {GatewayError} 400 if none does */
  fitting?: (task: Task, candidates: Candidate[], onExcluded: OnExcluded | undefined) => Candidate[];
  /** All requests to a candidate, or requests as large. @throws {GatewayError} 400 for a task that it cannot express */
  asksOf: (candidate: Candidate, task: Task) => ReturnType<AskPlan<Candidate>['asksOf']>;
  /** Refusals of a request that would take too many bytes, or too many requests to a provider. */
  tooLarge: AskPlan<Candidate>['tooLarge'];
  tooMany: AskPlan<Candidate>['tooMany'];
  /** Requests to a provider at the same time. */
  maxAtOnce: number;
  answerOf: (candidate: Candidate, task: Task, send: Send) => Promise<Answer>;
  /** The answer as the client reads it. @param own the task in the client's own words */
  resultOf: (answer: Answer, own: Task) => Result;
  /** A client reads this whose request took longer than the gateway may run. */
  outOfTime: string;
}

/** States a modality; its types follow from its members. */
export function defineModality<Body, Task, Candidate extends BatchCandidate, Answer, Result>(
  modality: BatchModality<Body, Task, Candidate, Answer, Result>,
): BatchModality<Body, Task, Candidate, Answer, Result> {
  return modality;
}
