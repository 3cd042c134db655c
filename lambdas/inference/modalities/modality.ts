import type * as z from 'zod';
import type { Modality } from '../../catalog/modality.ts';
import type { ApiType, Wire, WireOf } from '../../catalog/wires.ts';
import type { ProviderPreferences, RoutedRequest } from '../../messages/preferences.ts';
import type { NamedText } from '../../protection/named-texts.ts';
import type { BatchEngine, StreamedAnswer } from '../../providers/batch-engine.ts';
import type { WireTarget } from '../../providers/wire.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { engineTarget, type UsableEndpoint } from '../../routing/usable-endpoints.ts';
import type { ClientStream } from '../batch/forward-stream.ts';
import type { BatchCandidate, OfferRefusals } from '../batch/offers.ts';

/**
 * Schema of the request body, and limits for reading its JSON (http/json-body.ts). A body that may also be a form has
 * the same schema; the endpoint gets the reader of forms (http/form-body.ts).
 */
export interface AcceptedBody<Body> {
  body: z.ZodType<Body>;
  /** Schemas of the parameters in the query and the path. The values are added to the body. */
  query?: z.ZodType<object>;
  params?: z.ZodType<object>;
  maxValues?: number;
  maxFields?: number;
  exactWithin?: readonly string[];
}

/** Type of a streamed answer's events. */
type EventOf<Answer> = Answer extends StreamedAnswer<infer Event> ? Event : never;
/** The members of `Answer` that are not streamed. */
export type WholeOf<Answer> = Answer extends StreamedAnswer<unknown> ? never : Answer;

/**
 * Declaration of a modality. Its answers are complete, as for embeddings, or are forwarded part by part, as for speech.
 * The declaration contains everything in which these modalities differ. Shared code reads the request, routes and
 * protects it, places the hold, sends the requests to providers, settles and estimates. A row of `wholeModalities`
 * (modality-rows.ts) adds the routes.
 *
 * If a provider runs a job that must be polled, `answer` of the engine can poll, because it may send several requests.
 * Jobs of minutes are separate, as for videos (inference/videos/).
 */
export interface BatchModality<Body, Task, Answer, Result> extends OfferRefusals {
  apiType: ApiType;
  /** Output modality of the models that can serve the request. */
  makes: Modality;
  accepts: AcceptedBody<Body>;
  /**
   * Completes a body before it is routed, for example with a file from a URL.
   * @throws {GatewayError} 400 or 413 for a file that cannot be used
   */
  prepare?: (body: Body, clientLeft: AbortSignal | undefined) => Promise<Body>;
  /**
   * Returns the names of body fields that are not sent to the endpoint. Without this function, unknown fields are
   * refused.
   * @param target the endpoint that answers
   */
  leftOut?: (body: Body, target: WireTarget) => readonly string[];
  /** The client's names of fields, by the names that errors have. Absent: both have the same names. */
  clientNames?: Readonly<Record<string, string>>;
  /** One engine for each provider format (wire) that serves this kind of request. */
  engines: Readonly<Partial<Record<Wire, BatchEngine<Task, Answer>>>>;
  /** Returns all texts for the provider, with the names of the client's fields that contain them. */
  textsOf: (body: Body) => NamedText[];
  /**
   * Refuses a body with parts that cannot be scanned for sensitive data.
   * @throws {GatewayError} 400
   */
  refuseUnsearchable?: (body: Body) => void;
  /**
   * Builds the task for a provider.
   * @param texts the texts of `textsOf`, possibly changed by protection
   */
  taskOf: (body: Body, texts: readonly string[]) => Task;
  /** Returns the estimated size of the prompt, in bytes of text. */
  promptBytes: (task: Task) => number;
  /** Returns the model and provider preferences of the request, and the texts that identify its conversation. */
  routeOf: (body: Body, texts: readonly NamedText[]) => RoutedRequest;
  /**
   * Returns the candidates that can do the task, in the order of attempts.
   * @throws {GatewayError} 400 if no candidate can do it
   */
  fitting?: (
    task: Task,
    candidates: BatchCandidate<Task, Answer>[],
    onExcluded: OnExcluded | undefined,
  ) => BatchCandidate<Task, Answer>[];
  maxAtOnce: number;
  /**
   * If true, the client is charged only for a complete answer, or for a stream from which the client disconnects after
   * the first content. If absent, a client that disconnects also pays for the finished requests to the provider.
   */
  isBilledWhole?: boolean;
  /**
   * Builds a non-streamed answer for the client.
   * @param own the task with the client's own texts, before protection
   */
  resultOf: (answer: WholeOf<Answer>, own: Task) => Result;
  /**
   * Returns the converter with which the answer is forwarded while the provider sends it; undefined if the client gets
   * a non-streamed answer. If it returns a converter, engines return a `StreamedAnswer`. Absent: no answers are
   * streamed.
   */
  forwardedAs?: (body: Body, requestId: string) => ClientStream<EventOf<Answer>> | undefined;
  /** Error message for the client if the function's time ends before the answer is complete. */
  outOfTime: string;
}

/**
 * Declares a modality, and infers its types from its members. It does not compile if a provider format (wire) of this
 * modality has no engine.
 */
export function defineModality<Kind extends ApiType, Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result> & {
    apiType: Kind;
    engines: Record<WireOf<Kind>, BatchEngine<Task, Answer>>;
  },
): BatchModality<Body, Task, Answer, Result> {
  return modality;
}

/** `routeOf` of a body without a conversation: returns its models and provider preferences. */
export function plainRoute({
  model,
  models,
  provider,
}: {
  model: string;
  models?: string[] | null | undefined;
  provider?: ProviderPreferences | null | undefined;
}): RoutedRequest {
  return { model, messages: [], ...(models ? { models } : {}), ...(provider ? { provider } : {}) };
}

/**
 * Adds the engine of the modality to an endpoint. Returns undefined if the modality has no engine for the endpoint's
 * format (wire).
 */
export function engineCandidate<Task, Answer>(
  { engines }: Pick<BatchModality<never, Task, Answer, never>, 'engines'>,
  usable: UsableEndpoint,
): BatchCandidate<Task, Answer> | undefined {
  const engine = engines[usable.endpoint.wire];
  return engine && { ...usable, engine, target: engineTarget(usable) };
}
