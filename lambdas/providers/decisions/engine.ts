import type { Quirks } from '../../catalog/quirk-schemas.ts';
import type { Verdict } from '../../decisions/question.ts';
import type { Task } from '../../decisions/task.ts';
import type { BatchEngine } from '../batch-engine.ts';

/**
 * Engine for questions with fixed options. It converts a task's questions to requests to a model, and the responses to
 * one verdict (the options' probabilities) per question.
 */
export type DecisionEngine<Q extends Quirks = Quirks> = BatchEngine<Task, Verdict[], Q>;
