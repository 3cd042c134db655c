/** Answers decisions with a provider's own API for decisions. One request has all questions of a task. */

import { wellFormedJson } from '../../platform/json/well-formed.ts';
import * as z from 'zod';
import { normalised } from '../../decisions/distribution.ts';
import type { Question, Verdict } from '../../decisions/question.ts';
import type { Task } from '../../decisions/task.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { WireTarget } from '../wire.ts';
import type { BatchRequest } from '../batch-engine.ts';
import type { DecisionEngine } from './engine.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

/** Maximum tokens of an answer per option, for the option's name and its probability. */
const NATIVE_TOKENS_PER_OPTION = 32;
const TOKENS_PER_QUESTION = 64;

const nativeProbability = z.number().min(0).max(1);
const nativeProbabilities = z.record(z.string(), nativeProbability);

const answerSchemas = {
  noul: z.object({ type: z.literal('noul'), noul: nativeProbability }),
  choice: z.object({ type: z.literal('choice'), choice: z.string(), probabilities: nativeProbabilities.optional() }),
  score: z.object({ type: z.literal('score'), score: z.number(), probabilities: nativeProbabilities.optional() }),
};

export const nativeEngine: DecisionEngine = {
  batchRequests: (task, target) => [nativeRequest(task, target)],
  async answer(task, target, send) {
    const answers = recordOrEmpty(recordOrEmpty(await send(nativeRequest(task, target)))['answers']);
    return task.questions.map((question, index) => nativeVerdict(answers[questionName(index)], question));
  },
  readUsage(body) {
    const { usage } = recordOrEmpty(body);
    if (typeof usage !== 'object' || usage === null) return undefined;
    const { input_tokens, output_tokens } = recordOrEmpty(usage) as { input_tokens?: number; output_tokens?: number };
    return {
      ...(input_tokens === undefined ? {} : { input_tokens }),
      ...(output_tokens === undefined ? {} : { output_tokens }),
    };
  },
};

/** Returns the name of a question in the request. The client's own names are not sent. */
function questionName(index: number): string {
  return `q${index}`;
}

function optionName(index: number): string {
  return `o${index}`;
}

function nativeRequest({ state, questions }: Task, { upstreamModel }: WireTarget): BatchRequest {
  const body = {
    model: upstreamModel,
    state,
    questions: Object.fromEntries(questions.map((question, index) => [questionName(index), nativeQuestion(question)])),
  };
  const options = questions.reduce((sum, question) => sum + question.options.length, 0);
  return {
    request: { path: '/decisions', headers: { 'content-type': 'application/json' }, body: wellFormedJson(body) },
    outputTokens: NATIVE_TOKENS_PER_OPTION * options + TOKENS_PER_QUESTION * questions.length,
  };
}

function nativeQuestion({ type, instructions, options }: Question): object {
  const texts = options.map(({ text }) => text);
  switch (type) {
    case 'noul':
      return { type, instructions, criteria: { true: texts[0], false: texts[1] } };
    case 'choice':
      return {
        type,
        instructions,
        criteria: Object.fromEntries(texts.map((text, index) => [optionName(index), text])),
      };
    case 'score':
      return { type, instructions, criteria: texts };
  }
}

/**
 * Reads the answer to a question.
 * @throws {UpstreamError} for another type of answer, or an answer with neither probabilities nor a choice
 */
function nativeVerdict(answer: unknown, { type, options }: Question): Verdict {
  const parsed = answerSchemas[type].safeParse(answer);
  if (!parsed.success) throw new UpstreamError('malformed', 'The provider sent no valid answer to a question');
  const { data } = parsed;
  if (data.type === 'noul') return { probabilities: [data.noul, 1 - data.noul], isStated: false };
  const names = options.map((_, index) => (type === 'score' ? String(index) : optionName(index)));
  const masses = names.map((name) => data.probabilities?.[name]);
  if (masses.some((mass) => mass !== undefined && mass > 0)) {
    return { probabilities: normalised(masses.map((mass) => mass ?? 0)), isStated: false };
  }
  const chosen = data.type === 'choice' ? names.indexOf(data.choice) : -1;
  // A choice without probabilities counts as certain, and as stated, because it was not measured.
  if (chosen !== -1) return { probabilities: names.map((_, index) => (index === chosen ? 1 : 0)), isStated: true };
  throw new UpstreamError('malformed', 'The provider sent no probabilities for a question');
}
