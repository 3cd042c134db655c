/**
 * Answers that take one request to a provider, or several: decisions and embeddings. An engine encodes the requests and
 * reads the responses; it sends nothing itself.
 */

import type { WireUsage } from '../messages/types.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';
import type { WireRequest, WireTarget } from './wire.ts';

/** One request to the provider. */
export interface Ask {
  request: WireRequest;
  /** Maximum tokens that the provider may write and bill. */
  outputTokens: number;
  /** Number of texts in it, each of which may be as long as the model's context; one if absent. */
  inputs?: number;
  /** Estimated tokens of its prompt, for a provider that reports no usage. If absent, the size of the body is used. */
  estimatedTokens?: number;
  /** Maximum size of its response; 4 MiB if absent. */
  maxAnswerBytes?: number;
}

/**
 * Sends a request.
 * @returns the JSON of the response
 * @throws {Error} if there is no JSON; the whole task then fails
 */
export type Send = (ask: Ask) => Promise<unknown>;

/** Reads usage from the responses of an engine. */
export interface AskReader {
  /**
   * Usage that the provider reports for one request; undefined if it reports none.
   * @param headers of the response, with lower-case names
   */
  readUsage(body: unknown, headers: Readonly<Record<string, string | string[] | undefined>>): WireUsage | undefined;
}

/**
 * Answers the tasks of a modality over one wire. It bounds its requests in advance, so that the gateway can place a
 * hold for them.
 */
export interface BatchEngine<Task, Answer, Q extends Quirks = Quirks> extends AskReader {
  /**
   * All requests that `answer` may send for a task, or requests of the same size. They are generated one after the
   * other, because together they may exceed memory.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  maxAsks(task: Task, target: WireTarget<Q>): Iterable<Ask>;
  /**
   * Computes the complete answer. Independent requests are sent concurrently; the sender limits how many.
   * @throws {UpstreamError} for a response without an answer
   */
  answer(task: Task, target: WireTarget<Q>, send: Send): Promise<Answer>;
}
