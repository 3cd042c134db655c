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

export interface AcceptedBody<Body> {
  body: z.ZodType<Body>;
  /** Schemas of query and path parameters, whose values are added to the body. */
  query?: z.ZodType<object>;
  params?: z.ZodType<object>;
  maxValues?: number;
  maxFields?: number;
  exactWithin?: readonly string[];
}

type EventOf<Answer> = Answer extends StreamedAnswer<infer Event> ? Event : never;
export type WholeOf<Answer> = Answer extends StreamedAnswer<unknown> ? never : Answer;

/**
 * A modality whose answers are complete, as for embeddings, or forwarded part by part, as for speech. Jobs that take
 * minutes are separate (inference/jobs/).
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
  /** Names of body fields that are not sent to the endpoint. */
  leftOut?: (body: Body, target: WireTarget) => readonly string[];
  /** The client API's name of a field, by the gateway's own name of this field; clients only see their name. */
  clientNames?: Readonly<Record<string, string>>;
  engines: Readonly<Partial<Record<Wire, BatchEngine<Task, Answer>>>>;
  /** Texts for the provider, with the client's fields that contain them. */
  textsOf: (body: Body) => NamedText[];
  /**
   * Refuses a body with parts that cannot be scanned for sensitive data.
   * @throws {GatewayError} 400
   */
  refuseUnsearchable?: (body: Body) => void;
  /**
   * Builds the task for the engines. The parameter `texts` has the texts of `textsOf`, possibly changed by protection.
   */
  taskOf: (body: Body, texts: readonly string[]) => Task;
  /** Returns the estimated size of the prompt, in bytes of text. */
  promptBytes: (task: Task) => number;
  /** Model and provider preferences, and the texts that identify the conversation. */
  routeOf: (body: Body, texts: readonly NamedText[]) => RoutedRequest;
  /**
   * Candidates that can do the task, in the order of attempts.
   * @throws {GatewayError} 400 if no candidate can do it
   */
  fitting?: (
    task: Task,
    candidates: BatchCandidate<Task, Answer>[],
    onExcluded: OnExcluded | undefined,
  ) => BatchCandidate<Task, Answer>[];
  maxAtOnce: number;
  /**
   * If true, the charge is only for a complete answer, or for a stream that the client left after its first content.
   */
  isBilledWhole?: boolean;
  /** Returns the result for the client. The parameter `own` is the task with the client's texts, before protection. */
  resultOf: (answer: WholeOf<Answer>, own: Task) => Result;
  /** Returns the converter for a streamed answer; undefined if the client gets a complete answer. */
  forwardedAs?: (body: Body, requestId: string) => ClientStream<EventOf<Answer>> | undefined;
  outOfTime: string;
}

/** Infers the types of a modality; each provider format (wire) of the modality must have an engine. */
export function defineModality<Kind extends ApiType, Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result> & {
    apiType: Kind;
    engines: Record<WireOf<Kind>, BatchEngine<Task, Answer>>;
  },
): BatchModality<Body, Task, Answer, Result> {
  return modality;
}

/** Implements `routeOf` for a body without a conversation. */
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

/** Returns the candidate with its engine; undefined if the modality has no engine for the endpoint's format (wire). */
export function engineCandidate<Task, Answer>(
  { engines }: Pick<BatchModality<never, Task, Answer, never>, 'engines'>,
  usable: UsableEndpoint,
): BatchCandidate<Task, Answer> | undefined {
  const engine = engines[usable.endpoint.wire];
  return engine && { ...usable, engine, target: engineTarget(usable) };
}
