import type { WireUsage } from '../messages/types.ts';
import type { PullIterator } from '../platform/concurrency/pull-iterator.ts';
import type { PieceField } from '../catalog/unit-lists.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';
import type { WireRequest, WireTarget } from './wire.ts';

/**
 * How many units other than tokens, such as search units, the provider may bill for one request: bound and estimate.
 */
export interface PieceCount {
  max: number;
  /** The count to charge if the provider reports no count. */
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
  /** Estimated usage other than the prompt, which is charged if the provider reports no usage. */
  estimatedUsage?: WireUsage;
  /** Converts the reported usage to the billed usage, for example if the provider bills a minimum number of seconds. */
  billedUsage?: (reported: WireUsage) => WireUsage;
  /** Counts of units other than tokens, by the units' field names in a usage. */
  pieces?: Partial<Record<PieceField, PieceCount>>;
  /** Estimated tokens of the prompt, charged if the provider reports none. Default: derived from the body's size. */
  estimatedPrompt?: { inputTokens: number; audioInputTokens?: number; imageInputTokens?: number };
  /** Maximum size of the response in bytes. Default: 4 MiB. */
  maxAnswerBytes?: number;
  /**
   * Whether the request is sent to an endpoint again only if the endpoint certainly has not processed it. Otherwise the
   * operator would pay for an expensive answer more than once.
   */
  isSentOnce?: boolean;
}

/** Headers of a response, with lower-case names. */
type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One part of an answer that the gateway forwards as it arrives. */
export interface StreamPart<Event> {
  /** Content for the client; absent if the part has only usage or an error. */
  event?: Event;
  /** Usage that the provider reports. A later report replaces an earlier report. */
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

export interface Send {
  /**
   * Sends a request, and returns the JSON of the response.
   * @throws {Error} if the request fails or the response is not JSON; the whole task then fails
   */
  (batchRequest: BatchRequest): Promise<unknown>;
  /** Sends the only request of a forwarded answer. Resolves when the first content has arrived. */
  open<Event>(batchRequest: BatchRequest, decode: DecodeStream<Event>): Promise<StreamedAnswer<Event>>;
}

/** Returns a `Send` for engines that only receive complete answers. */
export function wholeSend(send: (batchRequest: BatchRequest) => Promise<unknown>): Send {
  return Object.assign(send.bind(undefined), {
    open: () => Promise.reject(new TypeError('Only whole answers are received here')),
  });
}

/**
 * Exchanges that an answer needs after its request, and that the provider does not bill: polls of a job, downloads of
 * its files.
 */
export interface FollowUps {
  /**
   * Returns the state of a job as JSON, after a pause.
   * @param ownDomain domain of the provider's hosts, in addition to the host of its base URL
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
  /** Returns the usage that the provider reports for one request; undefined if it reports none. */
  readUsage(body: unknown, headers: AnswerHeaders, target?: WireTarget): WireUsage | undefined;
  /** Returns the estimated output tokens of a response, charged if the provider reports no usage. Default: one. */
  writtenTokens?(body: unknown, target: WireTarget): number;
}

/** Engine for a modality over one wire. It lists its requests in advance, so that money is held for all of them. */
export interface BatchEngine<Task, Answer, Q extends Quirks = Quirks> extends BatchReader {
  /**
   * Yields the requests that `answer` may send, or placeholders of the same size, to compute their maximum price. They
   * are yielded one by one, because together they might not fit into memory.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  batchRequests(task: Task, target: WireTarget<Q>): Iterable<BatchRequest>;
  /**
   * Sends the requests of a task, and returns the answer, or opens an answer that the gateway forwards (`send.open`).
   * @param followUps needed only by engines with jobs and files
   * @throws {UpstreamError} for a response without an answer
   */
  answer(task: Task, target: WireTarget<Q>, send: Send, followUps?: FollowUps): Promise<Answer>;
}
