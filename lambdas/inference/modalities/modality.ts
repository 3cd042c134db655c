import type * as z from 'zod';
import type { Modality } from '../../catalog/modality.ts';
import type { ApiType, Wire, WireOf } from '../../catalog/wires.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { NamedText } from '../../protection/named-texts.ts';
import type { BatchEngine } from '../../providers/asks.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { engineTarget, type UsableEndpoint } from '../../routing/usable-endpoints.ts';
import type { BatchCandidate, OfferRefusals } from '../batch/offers.ts';

/** Schema of the body, and limits for reading its JSON (http/json-body.ts). */
interface AcceptedBody<Body> {
  body: z.ZodType<Body>;
  maxValues?: number;
  maxFields?: number;
  exactWithin?: readonly string[];
}

/**
 * One declaration with all differences between modalities with complete answers. Reading the request, routing,
 * protection, hold, requests to providers, settlement and estimate follow from it. Its routes follow from a row of the
 * manifest (`wholeModalities`).
 *
 * Members that further modalities would need, and that do not exist yet:
 * - units besides tokens (search units, images, seconds): bounds in `Ask`, counts in `readUsage`
 * - `accepts` for a multipart body, with a limit for each part
 * - binary answers: `Ask` states how its answer is read (JSON today), and a Result may be a stream that is written
 *   while its provider sends it
 *
 * A polled job fits into one `answer`, which may send several requests. It can also be a job of its own, as for videos
 * (inference/videos/).
 */
export interface BatchModality<Body, Task, Answer, Result> extends OfferRefusals {
  apiType: ApiType;
  /** The output modality of its models. */
  makes: Modality;
  accepts: AcceptedBody<Body>;
  /** Names of a body's fields that are sent to no endpoint; none if unknown fields are refused. */
  leftOut?: (body: Body) => readonly string[];
  /** One engine for each wire that serves this kind of request. */
  engines: Readonly<Partial<Record<Wire, BatchEngine<Task, Answer>>>>;
  /** All texts for the provider, and the client's fields that hold them. */
  textsOf: (body: Body) => NamedText[];
  /** @throws {GatewayError} 400 for a body with parts that cannot be searched for sensitive data */
  refuseUnsearchable?: (body: Body) => void;
  /** The task for a provider. @param texts those of `textsOf`, perhaps changed by protection */
  taskOf: (body: Body, texts: readonly string[]) => Task;
  /** Estimated size of the prompt, in bytes of text. */
  promptBytes: (task: Task) => number;
  /** The model and providers of the request, and the texts that identify its conversation. */
  routeOf: (body: Body, texts: readonly NamedText[]) => RoutedRequest;
  /** The candidates that take all fields of the task. @throws {GatewayError} 400 if none does */
  fitting?: (
    task: Task,
    candidates: BatchCandidate<Task, Answer>[],
    onExcluded: OnExcluded | undefined,
  ) => BatchCandidate<Task, Answer>[];
  /** Maximum number of concurrent requests to a provider. */
  maxAtOnce: number;
  /** The answer for the client. @param own the task with the client's own texts */
  resultOf: (answer: Answer, own: Task) => Result;
  /** Error message for the client if the request took longer than the gateway may run. */
  outOfTime: string;
}

/** Declares a modality. Its types follow from its members. It does not compile if a wire of its kind has no engine. */
export function defineModality<Kind extends ApiType, Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result> & {
    apiType: Kind;
    engines: Record<WireOf<Kind>, BatchEngine<Task, Answer>>;
  },
): BatchModality<Body, Task, Answer, Result> {
  return modality;
}

/** Adds the engine to an endpoint; undefined if the endpoint's wire has none for this modality. */
export function engineCandidate<Task, Answer>(
  { engines }: Pick<BatchModality<never, Task, Answer, never>, 'engines'>,
  usable: UsableEndpoint,
): BatchCandidate<Task, Answer> | undefined {
  const engine = engines[usable.endpoint.wire];
  return engine && { ...usable, engine, target: engineTarget(usable) };
}
