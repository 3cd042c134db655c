import type { Quirks } from '../../catalog/quirk-schemas.ts';
import type { Verdict } from '../../decisions/question.ts';
import type { Task } from '../../decisions/task.ts';
import type { BatchEngine } from '../asks.ts';

/** A way to decide: the questions of a task become requests to a provider, and its answers become one verdict for each question. */
export type DecisionEngine<Q extends Quirks = Quirks> = BatchEngine<Task, Verdict[], Q>;
