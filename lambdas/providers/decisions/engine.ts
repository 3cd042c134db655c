import type { Quirks } from '../../catalog/quirk-schemas.ts';
import type { Verdict } from '../../decisions/question.ts';
import type { Task } from '../../decisions/task.ts';
import type { BatchEngine } from '../batch-engine.ts';

/** Engine for questions with fixed options. A verdict has the probabilities of a question's options. */
export type DecisionEngine<Q extends Quirks = Quirks> = BatchEngine<Task, Verdict[], Q>;
