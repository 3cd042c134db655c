import type { Question } from './question.ts';
import { questionText, type DecisionsRequest } from './schema.ts';

export interface Task {
  state: string;
  questions: Question[];
}

export interface TaskText {
  field: string;
  text: string;
}

const YES_NO = ['yes', 'no'];

/** Returns all texts that the model gets from a request, in a fixed order. */
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

/**
 * Builds the questions from texts.
 * @param texts in the order of `taskTexts`; they may have been changed, for example to remove sensitive data
 */
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

/** Returns the client's name of each option, and its text for the model. */
function criteriaOf({ type, criteria }: DecisionsRequest['questions'][string]): [string, string][] {
  switch (type) {
    case 'noul':
      return YES_NO.map((key, index) => {
        const description = index === 0 ? criteria?.true : criteria?.false;
        return [key, description === undefined ? key : `${key}: ${questionText(description)}`];
      });
    case 'choice':
      return Object.entries(criteria).map(([key, description]) => [
        key,
        description === null ? key : `${key}: ${questionText(description)}`,
      ]);
    case 'score':
      return criteria.map((description, index) => [String(index), questionText(description)]);
  }
}
