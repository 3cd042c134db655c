import { answerOf } from '../../decisions/question.ts';
import { decisionsRequestSchema, exactWithin } from '../../decisions/schema.ts';
import { taskOf, taskTexts, type Task } from '../../decisions/task.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { decisionEngines } from '../../providers/decisions/engines.ts';
import { defineModality } from './modality.ts';

/** Answers questions about a text (the state) with probabilities. */
export const decisionsModality = defineModality({
  apiType: 'decisions',
  makes: 'decisions',
  accepts: { body: decisionsRequestSchema, exactWithin },
  engines: decisionEngines,
  textsOf: taskTexts,
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
  tooLarge: (maxMebibytes) =>
    invalidRequest(
      'state',
      `is repeated in each request to this model, in total more than ${maxMebibytes} MiB; shorten it, or send fewer questions`,
    ),
  tooMany: (requests, maxRequests) =>
    invalidRequest(
      'questions',
      `need ${requests} requests to this model, and the maximum is ${maxRequests}; send fewer questions, or questions with fewer options`,
    ),
  maxAtOnce: 16,
  resultOf: (verdicts, own) => verdicts.map((verdict, at) => answerOf(own.questions[at]!, verdict)),
  outOfTime: 'The questions took longer than the gateway may run. Send fewer questions at once.',
});
