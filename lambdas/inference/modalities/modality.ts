import type * as z from 'zod';
import type { Modality } from '../../catalog/modality.ts';
import type { ApiType, Wire, WireOf } from '../../catalog/wires.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { NamedText } from '../../protection/named-texts.ts';
import type { BatchEngine } from '../../providers/asks.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { engineTarget, type UsableEndpoint } from '../../routing/usable-endpoints.ts';
import type { BatchCandidate, OfferRefusals } from '../batch/offers.ts';

/** The body of a request, and the bounds in which its JSON is read (http/json-body.ts). */
interface AcceptedBody<Body> {
  body: z.ZodType<Body>;
  maxValues?: number;
  maxFields?: number;
  exactWithin?: readonly string[];
}

/**
 * A modality whose answers are whole: all that differs from other modalities, as one declaration. Reading the request, routing, protection,
 * hold, requests to providers, settlement and estimate follow from it, and its routes from a row of the manifest (`wholeModalities`).
 *
 * Members that further modalities need, and none has yet: units besides tokens (search units, images, seconds: bounds in `Ask`, counts in
 * `readUsage`); `accepts` of a multipart body, with a bound for each part; answers of bytes (`Ask` says how its answer is read, JSON today, and
 * a Result may be a stream that is written while its provider sends it). Jobs that are polled fit into one `answer`, which may send several
 * requests, or are jobs of their own, as those of videos (inference/videos/).
 */
export interface BatchModality<Body, Task, Answer, Result> extends OfferRefusals {
  apiType: ApiType;
  /** The output modality of its models. */
  makes: Modality;
  accepts: AcceptedBody<Body>;
  /** The fields of a body that no endpoint is sent, by name; none where unknown ones are refused. */
  leftOut?: (body: Body) => readonly string[];
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
    candidates: BatchCandidate<Task, Answer>[],
    onExcluded: OnExcluded | undefined,
  ) => BatchCandidate<Task, Answer>[];
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
): BatchCandidate<Task, Answer> | undefined {
  const engine = engines[usable.endpoint.wire];
  return engine && { ...usable, engine, target: engineTarget(usable) };
}
