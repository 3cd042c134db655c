import { answerOf } from '../../decisions/question.ts';
import type { DecisionsRequest } from '../../decisions/schema.ts';
import { taskOf, taskTexts, type Task } from '../../decisions/task.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { DecisionEngine } from '../../providers/decisions/engine.ts';
import { decisionEngine } from '../../providers/decisions/engines.ts';
import { engineTarget } from '../../routing/usable-endpoints.ts';
import type { BatchCandidate } from '../batch/offers.ts';
import { defineModality } from './modality.ts';

/** An endpoint that can answer questions now. */
export interface DecisionCandidate extends BatchCandidate {
  engine: DecisionEngine;
}

/** Questions about a state, each answered with probabilities. */
export const decisionsModality = defineModality({
  apiType: 'decisions',
  makes: 'decisions',
  candidateOf: (usable): DecisionCandidate | undefined => {
    const engine = decisionEngine(usable.endpoint.wire);
    return engine && { ...usable, engine, target: engineTarget(usable) };
  },
  textsOf: (body: DecisionsRequest) => taskTexts(body),
  taskOf,
  promptBytes: ({ state, questions }: Task) =>
    questions
      .flatMap(({ instructions, options }) => [instructions, ...options.map(({ text }) => text)])
      .reduce((bytes, text) => bytes + Buffer.byteLength(text), Buffer.byteLength(state)),
  routeOf: ({ model, models, provider }, texts) => ({
    model,
    messages: [{ role: 'user', content: texts.map(({ text }) => ({ type: 'text', text })) }],
    ...(models ? { models } : {}),
    ...(provider ? { provider } : {}),
  }),
  asksOf: ({ engine, target }, task) => engine.maxAsks(task, target),
  tooLarge: (maxMebibytes) =>
    invalidRequest(
      'state',
      `is repeated in requests to this model that come to more than ${maxMebibytes} MiB; shorten it, or send fewer questions`,
    ),
  tooMany: (asks, maxAsks) =>
    invalidRequest(
      'questions',
      `take ${asks} requests to this model, of which one request may take ${maxAsks}; send fewer questions, or questions with fewer options`,
    ),
  maxAtOnce: 16,
  answerOf: ({ engine, target }, task, send) => engine.decide(task, target, send),
  resultOf: (verdicts, own) => verdicts.map((verdict, at) => answerOf(own.questions[at]!, verdict)),
  outOfTime: 'The questions took longer than the gateway may run. Ask fewer at once.',
});
