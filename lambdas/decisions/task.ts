/** A request for decisions in the form of texts for the model, and the questions made of them. */

import type { Question } from './question.ts';
import { questionText, type DecisionsRequest } from './schema.ts';

export interface Task {
  state: string;
  questions: Question[];
}

/** A text of a request, and its field. */
export interface TaskText {
  field: string;
  text: string;
}

const YES_NO = ['yes', 'no'];

/** All texts of a request for the model, in a fixed order. */
export function taskTexts({ state, questions }: DecisionsRequest): TaskText[] {
  const texts: TaskText[] = [{ field: 'state', text: questionText(state) }];
  for (const [name, question] of Object.entries(questions)) {
    const field = `questions.${name}`;
    texts.push({ field: `${field}.instructions`, text: questionText(question.instructions) });
    for (const [key, criterion] of criteriaOf(question))
      texts.push({ field: `${field}.criteria.${key}`, text: criterion });
  }
  return texts;
}

/** @param texts those of `taskTexts`, perhaps changed */
export function taskOf({ questions }: DecisionsRequest, texts: readonly string[]): Task {
  const [state, ...rest] = texts as [string, ...string[]];
  let next = 0;
  return {
    state,
    questions: Object.values(questions).map((question): Question => {
      const instructions = rest[next++]!;
      const options = criteriaOf(question).map(([key]) => ({ key, text: rest[next++]! }));
      return { type: question.type, instructions, options };
    }),
  };
}

/** The client's name and the model's text for each option. */
function criteriaOf({ type, criteria }: DecisionsRequest['questions'][string]): [string, string][] {
  switch (type) {
    case 'noul':
      return YES_NO.map((key, index) => {
        const told = index === 0 ? criteria?.true : criteria?.false;
        return [key, told === undefined ? key : `${key}: ${questionText(told)}`];
      });
    case 'choice':
      return Object.entries(criteria).map(([key, told]) => [
        key,
        told === null ? key : `${key}: ${questionText(told)}`,
      ]);
    case 'score':
      return criteria.map((told, index) => [String(index), questionText(told)]);
  }
}
