/**
 * Interface of the engines for decisions, embeddings, ranks and images. Each answer takes one or more requests to a
 * provider. An engine encodes the requests and reads the responses; the caller sends them.
 */

import type { WireUsage } from '../messages/types.ts';
import type { PieceField } from '../catalog/unit-lists.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';
import type { WireRequest, WireTarget } from './wire.ts';

/** Count of a unit other than tokens, such as search units, in one request to the provider. */
export interface PieceCount {
  max: number;
  /** The count to charge if the provider reports none. */
  estimated: number;
}

/** One request to the provider, with the bounds from which its maximum price is computed. */
export interface BatchRequest {
  request: WireRequest<string | Buffer>;
  /** Maximum tokens that the provider may write and bill. */
  outputTokens: number;
  /** Number of texts in the request. Each of them may fill the model's context. Absent: one. */
  inputs?: number;
  /** Text that the provider reads and bills again with each input after the first. */
  repeated?: string;
  /** Maximum tokens of the prompt, if the size of the body does not bound them, as with pictures. */
  promptTokens?: number;
  /** Usage that is charged, as an estimate, if the provider reports none. */
  estimatedUsage?: WireUsage;
  /** Counts of units other than tokens, by the names of their fields in a usage. */
  pieces?: Partial<Record<PieceField, PieceCount>>;
  /**
   * Estimated tokens of the prompt, for a provider that reports no usage. Absent: derived from the size of the body.
   */
  estimatedTokens?: number;
  /** Maximum size of the response, in bytes. Absent: 4 MiB. */
  maxAnswerBytes?: number;
}

/**
 * Sends an engine's request to the provider.
 * @returns the JSON of the response
 * @throws {Error} if the request fails or the response is not JSON; the whole task then fails
 */
export type Send = (batchRequest: BatchRequest) => Promise<unknown>;

/** Further exchanges of an answer, which the provider does not bill: polls of a job, and downloads of its files. */
export interface FollowUps {
  /**
   * Reads the state of a job, after a pause that grows with the number of polls.
   * @param place path below the provider's base URL, or a URL of the provider
   * @param ownDomain domain whose hosts belong to the provider, besides the host of its base URL
   * @returns the JSON of the response
   * @throws {UpstreamError} for a URL of another host, which must not get the credential
   */
  poll: (place: string, ownDomain?: string) => Promise<unknown>;
  /**
   * Downloads a file from a public address, without the credential.
   * @throws {UpstreamError} for an address that is not public, or a file that is too large
   */
  download: (url: string, maxBytes: number) => Promise<Buffer>;
}

/** Reads usage from the responses to an engine's requests. */
export interface BatchReader {
  /**
   * Returns the usage that the provider reports for one request; undefined if it reports none.
   * @param headers headers of the response, with lower-case names
   */
  readUsage(
    body: unknown,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    target?: WireTarget,
  ): WireUsage | undefined;
}

/**
 * Engine that answers the tasks of a modality (decisions or embeddings) over one wire. It lists its requests in
 * advance, so that the gateway can place a hold for them.
 */
export interface BatchEngine<Task, Answer, Q extends Quirks = Quirks> extends BatchReader {
  /**
   * Yields all requests that `answer` may send for a task, or requests of the same size. It yields them one by one,
   * because together they may not fit into memory.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  batchRequests(task: Task, target: WireTarget<Q>): Iterable<BatchRequest>;
  /**
   * Sends the requests of a task, and computes the complete answer. Independent requests are sent concurrently; `send`
   * limits how many.
   * @param followUps present in the gateway; only engines of jobs and files need it
   * @throws {UpstreamError} for a response without an answer
   */
  answer(task: Task, target: WireTarget<Q>, send: Send, followUps?: FollowUps): Promise<Answer>;
}
