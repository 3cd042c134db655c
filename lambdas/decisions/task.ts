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

/** Keys of the options of a yes/no question, by their names in `criteria`. */
const yesNoKeys = { true: 'yes', false: 'no' };

/** Returns all texts that the model gets from a request, in a fixed order. */
export function taskTexts({ state, questions }: DecisionsRequest): TaskText[] {
  const texts: TaskText[] = [{ field: 'state', text: questionText(state) }];
  for (const [name, question] of Object.entries(questions)) {
    const field = `questions.${name}`;
    texts.push({ field: `${field}.instructions`, text: questionText(question.instructions) });
    for (const { name: criterion, text } of criteriaOf(question))
      texts.push({ field: `${field}.criteria.${criterion}`, text });
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
      const options = criteriaOf(question).map(({ key }) => ({ key, text: rest[next++]! }));
      return { type: question.type, instructions, options };
    }),
  };
}

interface Criterion {
  /** Name in `criteria`. */
  name: string;
  key: string;
  text: string;
}

function criteriaOf({ type, criteria }: DecisionsRequest['questions'][string]): Criterion[] {
  switch (type) {
    case 'noul':
      return (['true', 'false'] as const).map((name) => criterionOf(name, criteria?.[name], yesNoKeys[name]));
    case 'choice':
      return Object.entries(criteria).map(([name, description]) => criterionOf(name, description ?? undefined));
    case 'score':
      return criteria.map((description, index) => {
        const name = String(index);
        return { name, key: name, text: questionText(description) };
      });
  }
}

function criterionOf(name: string, description: unknown, key = name): Criterion {
  return { name, key, text: description === undefined ? key : `${key}: ${questionText(description)}` };
}
