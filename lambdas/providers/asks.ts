/**
 * Answers that take one request to a provider, or several: decisions and embeddings. An engine writes the requests and reads
 * the answers; it sends nothing itself.
 */

import type { WireUsage } from '../messages/types.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';
import type { WireRequest, WireTarget } from './wire.ts';

/** One request to the provider. */
export interface Ask {
  request: WireRequest;
  /** The most that the provider may write, and bill. */
  outputTokens: number;
  /** The texts in it, each of which may be as long as the model's context; one where absent. */
  inputs?: number;
  /** Estimated tokens of its prompt, for a provider that reports no usage; from the bytes of the body if absent. */
  estimatedTokens?: number;
  /** The most that its answer may have; 4 MiB where absent. */
  maxAnswerBytes?: number;
}

/** Sends a request. @returns the JSON that came back @throws {Error} where none came: nothing is answered then */
export type Send = (ask: Ask) => Promise<unknown>;

/** What an engine reads of every answer. */
export interface AskReader {
  /**
   * What the provider says that one request has used; undefined where it does not say.
   * @param headers of its answer, their names in small letters
   */
  readUsage(body: unknown, headers: Readonly<Record<string, string | string[] | undefined>>): WireUsage | undefined;
}

/** A way to answer the tasks of a modality over one wire. It says beforehand what it may ask at most, so that this can be paid for. */
export interface BatchEngine<Task, Answer, Q extends Quirks = Quirks> extends AskReader {
  /**
   * All that `answer` may send for a task, or requests as large. One after the other: together they may be larger than memory.
   * @throws {GatewayError} 400 for a task that it cannot express
   */
  maxAsks(task: Task, target: WireTarget<Q>): Iterable<Ask>;
  /**
   * The whole answer. Requests that do not depend on each other are sent at once; the sender decides how many are under way.
   * @throws {UpstreamError} for an answer of the provider that answers nothing
   */
  answer(task: Task, target: WireTarget<Q>, send: Send): Promise<Answer>;
}
