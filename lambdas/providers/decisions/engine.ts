import type { Quirks } from '../../catalog/quirk-schemas.ts';
import type { Verdict } from '../../decisions/question.ts';
import type { Task } from '../../decisions/task.ts';
import type { BatchEngine } from '../batch-engine.ts';

/**
 * Answers questions with fixed options. It converts the questions of a task into requests to a model, and the responses
 * into one verdict (the options' probabilities) for each question.
 */
export type DecisionEngine<Q extends Quirks = Quirks> = BatchEngine<Task, Verdict[], Q>;
