/**
 * Interface of the engines for decisions, embeddings, reranking, images, speech and transcription. Each answer takes
 * one or more requests to a provider. An engine encodes the requests and reads the responses; its caller sends them.
 */

import type { WireUsage } from '../messages/types.ts';
import type { PullIterator } from '../platform/concurrency/pull-iterator.ts';
import type { PieceField } from '../catalog/unit-lists.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';
import type { WireRequest, WireTarget } from './wire.ts';

/** Bound and estimate of a unit other than tokens, such as search units, in one request to the provider. */
export interface PieceCount {
  max: number;
  /** The count to charge if the provider reports none. */
  estimated: number;
}

/** One request to the provider, with the bounds from which its maximum price is calculated. */
export interface BatchRequest {
  request: WireRequest<string | Buffer>;
  /** Maximum tokens that the provider may write and bill. */
  outputTokens: number;
  /** Number of texts in the request, each of which may fill the model's context. Default: 1. */
  inputs?: number;
  /** Text that the provider reads and bills again for each text after the first, such as the query of a rerank. */
  repeated?: string;
  /** Maximum number of prompt tokens, if the size of the body does not bound this number, as with images. */
  promptTokens?: number;
  /** Usage to charge, as an estimate, if the provider reports none. */
  estimatedUsage?: WireUsage;
  /** Returns the usage that the provider bills for its reported usage, such as a minimum number of seconds. */
  billedUsage?: (reported: WireUsage) => WireUsage;
  /** Counts of units other than tokens, by the units' field names in a usage. */
  pieces?: Partial<Record<PieceField, PieceCount>>;
  /**
   * Estimated tokens of the prompt, charged if the provider reports no usage. Default: derived from the size of the
   * body.
   */
  estimatedTokens?: number;
  /** Maximum size of the response in bytes. Default: 4 MiB. */
  maxAnswerBytes?: number;
}

/** Headers of a response, with lower-case names. */
type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One part of an answer that the gateway forwards as it arrives. */
export interface StreamPart<Event> {
  /** Content for the client; absent if the part has only usage or an error. */
  event?: Event;
  /** Usage that the provider reports. Later reports replace earlier ones. */
  usage?: WireUsage;
  /** Estimated output tokens of the part, charged if the provider reports none. */
  estimatedTokens?: number;
  /** Error that the provider reports within its answer, and that ends the answer. */
  error?: unknown;
}

/** A response with a success status, whose body has not been read. */
export interface OpenedResponse {
  headers: AnswerHeaders;
  body: PullIterator<Buffer>;
}

/** Converts the body of a response to parts. Every exception counts as a failure of the provider. */
export type DecodeStream<Event> = (response: OpenedResponse) => AsyncGenerator<StreamPart<Event>, void>;

/** An answer whose first content has arrived, and which the gateway forwards as it arrives. */
export interface StreamedAnswer<Event> {
  parts: PullIterator<StreamPart<Event>>;
  /** The request that the parts answer; absent if `send` has already received and charged the complete answer. */
  batchRequest?: BatchRequest;
}

/** Sends an engine's request to the provider. */
export interface Send {
  /**
   * @returns the JSON of the response
   * @throws {Error} if the request fails or the response is not JSON; the whole task then fails
   */
  (batchRequest: BatchRequest): Promise<unknown>;
  /**
   * Sends the only request of a task whose answer is forwarded as it arrives. Resolves when the first content has
   * arrived. After an earlier failure, the gateway charges nothing, and may try another endpoint.
   */
  open<Event>(batchRequest: BatchRequest, decode: DecodeStream<Event>): Promise<StreamedAnswer<Event>>;
}

/** Returns a `Send` for engines that only receive complete answers. */
export function wholeSend(send: (batchRequest: BatchRequest) => Promise<unknown>): Send {
  return Object.assign(send.bind(undefined), {
    open: () => Promise.reject(new TypeError('Only whole answers are received here')),
  });
}

/**
 * Further exchanges that an answer needs and the provider does not bill: polls of a job, and downloads of its files.
 */
export interface FollowUps {
  /**
   * Reads the state of a job, after a pause that grows with the number of polls.
   * @param place path below the provider's base URL, or a URL of the provider
   * @param ownDomain domain whose hosts belong to the provider, in addition to the host of its base URL
   * @returns the JSON of the response
   * @throws {Error} if several consecutive polls fail, if a response is too large, if the attempt is aborted, or for a
   *   URL of another host, which must not get the credential
   */
  poll: (place: string, ownDomain?: string) => Promise<unknown>;
  /**
   * Downloads a file from a public address, without the credential.
   * @throws {UpstreamError} if the file cannot be fetched, is too large, or its address is not public
   */
  download: (url: string, maxBytes: number) => Promise<Buffer>;
}

/** Reads usage from the responses to an engine's requests. */
export interface BatchReader {
  /**
   * Returns the usage that the provider reports for one request; undefined if it reports none.
   * @param headers headers of the response, with lower-case names
   */
  readUsage(body: unknown, headers: AnswerHeaders, target?: WireTarget): WireUsage | undefined;
}

/**
 * Engine that answers the tasks of a modality, such as embeddings, over one wire. The engine lists its requests in
 * advance, so that the gateway can hold money for all of them.
 */
export interface BatchEngine<Task, Answer, Q extends Quirks = Quirks> extends BatchReader {
  /**
   * Yields the requests that `answer` may send for a task, or placeholders of the same size, so that the gateway can
   * compute their maximum price. They are yielded one by one, because together they might not fit into memory.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  batchRequests(task: Task, target: WireTarget<Q>): Iterable<BatchRequest>;
  /**
   * Sends the requests of a task, and returns the complete answer, or opens an answer that is forwarded as it arrives
   * (`send.open`). Independent requests are sent concurrently; `send` limits how many.
   * @param followUps needed only by engines with jobs and files, but always passed
   * @throws {UpstreamError} for a response without an answer
   */
  answer(task: Task, target: WireTarget<Q>, send: Send, followUps?: FollowUps): Promise<Answer>;
}
