import type * as z from 'zod';
import type { Modality } from '../../catalog/modality.ts';
import type { ApiType, Wire, WireOf } from '../../catalog/wires.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { NamedText } from '../../protection/named-texts.ts';
import type { BatchEngine } from '../../providers/asks.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { engineTarget, type UsableEndpoint } from '../../routing/usable-endpoints.ts';
import type { BatchCandidate, AskPlan } from '../batch/offers.ts';

/** An endpoint that can answer tasks of a modality now. */
export interface EngineCandidate<Task, Answer> extends BatchCandidate {
  engine: BatchEngine<Task, Answer>;
}

/** The body of a request, and the bounds in which its JSON is read (http/json-body.ts). */
interface AcceptedBody<Body> {
  body: z.ZodType<Body>;
  maxValues?: number;
  maxFields?: number;
  exactWithin?: readonly string[];
}

/**
 * A modality whose answers are whole: all that differs from other modalities, as one declaration. Reading the request, routing,
 * protection, hold, requests to providers, settlement and estimate follow from it (routed.ts, answer.ts, estimate.ts). Its routes follow
 * from its row in the manifest (`wholeModalities` of routes.ts).
 *
 * Members that further modalities need, and none has yet:
 * - units that a request is billed by besides tokens, such as search units, images, characters or seconds: bounds in `Ask`, usage in
 *   `readUsage`;
 * - `accepts` of a multipart body, for files of a transcription: fields and parts, each with its bound;
 * - answers of bytes, for speech and images: `Ask` says how its answer is read (JSON today), `Answer` may be bytes, and a Result a stream
 *   that is written while its provider sends it;
 * - jobs that are polled, for providers that make images or transcripts later: as videos do (inference/videos/), or within one `answer`,
 *   which may send several requests already.
 */
export interface BatchModality<Body, Task, Answer, Result> {
  apiType: ApiType;
  /** The output modality of its models. */
  makes: Modality;
  accepts: AcceptedBody<Body>;
  /** One for each wire that answers this kind of request. */
  engines: Readonly<Partial<Record<Wire, BatchEngine<Task, Answer>>>>;
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
  fitting?: (
    task: Task,
    candidates: EngineCandidate<Task, Answer>[],
    onExcluded: OnExcluded | undefined,
  ) => EngineCandidate<Task, Answer>[];
  /** Refusals of a request that would take too many bytes, or too many requests to a provider. */
  tooLarge: AskPlan<never>['tooLarge'];
  tooMany: AskPlan<never>['tooMany'];
  /** Requests to a provider at the same time. */
  maxAtOnce: number;
  /** The answer as the client reads it. @param own the task in the client's own words */
  resultOf: (answer: Answer, own: Task) => Result;
  /** A client reads this whose request took longer than the gateway may run. */
  outOfTime: string;
}

/** States a modality. Its types follow from its members; a wire of its kind that has no engine does not compile. */
export function defineModality<Kind extends ApiType, Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result> & {
    apiType: Kind;
    engines: Record<WireOf<Kind>, BatchEngine<Task, Answer>>;
  },
): BatchModality<Body, Task, Answer, Result> {
  return modality;
}

/** An endpoint with its engine; undefined if its wire has none for this modality. */
export function engineCandidate<Task, Answer>(
  { engines }: Pick<BatchModality<never, Task, Answer, never>, 'engines'>,
  usable: UsableEndpoint,
): EngineCandidate<Task, Answer> | undefined {
  const engine = engines[usable.endpoint.wire];
  return engine && { ...usable, engine, target: engineTarget(usable) };
}
