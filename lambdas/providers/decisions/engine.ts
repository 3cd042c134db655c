/**
 * A way to decide: the questions of a task become requests to a provider, and its answers become probabilities. An engine
 * says beforehand what it may ask at most, so that this can be paid for.
 */

import type { Quirks } from '../../catalog/quirk-schemas.ts';
import type { Verdict } from '../../decisions/question.ts';
import type { Task } from '../../decisions/task.ts';
import type { Ask, AskReader, Send } from '../asks.ts';
import type { WireTarget } from '../wire.ts';

export interface DecisionEngine<Q extends Quirks = Quirks> extends AskReader {
  /**
   * All that `decide` may send for a task, or requests as large. One after the other: together they may be larger than memory.
   * @throws {GatewayError} 400 for what it cannot ask
   */
  maxAsks(task: Task, target: WireTarget<Q>): Iterable<Ask>;
  /**
   * One verdict for each question. What does not depend on each other is sent at once; who sends it, decides how many requests
   * are under way.
   * @throws {UpstreamError} for an answer that decides nothing
   */
  decide(task: Task, target: WireTarget<Q>, send: Send): Promise<Verdict[]>;
}
