import * as z from 'zod';
import { optionalField } from '../messages/field-kinds.ts';
import { boundedRecord } from '../messages/record-of.ts';
import { labelFields } from '../messages/label-fields.ts';
import { otherModels, routingField } from '../messages/preferences.ts';
import { isRawNumber } from '../platform/json/exact-json.ts';

const MAX_QUESTIONS = 128;
const MAX_OPTIONS = 255;
const MAX_QUESTION_NAME_CHARACTERS = 200;
const MAX_ID_CHARACTERS = 256;

/** Text, or a JSON object or list, which the model gets as compact JSON. */
const freeDescription = z
  .unknown()
  .refine(
    (value) => typeof value === 'string' || (typeof value === 'object' && value !== null && !isRawNumber(value)),
    'must be a text, an object or a list',
  )
  .refine((value) => value !== '', 'must not be empty');

const noul = z.strictObject({
  type: z.literal('noul'),
  instructions: freeDescription.meta({ description: 'The question, which can be answered with yes or no.' }),
  criteria: optionalField(
    z.strictObject({
      true: freeDescription.meta({ description: 'A description of when the answer is yes.' }),
      false: freeDescription.meta({ description: 'A description of when the answer is no.' }),
    }),
  ).meta({ description: 'Descriptions of both answers, if the question alone does not make them clear.' }),
});

const choice = z.strictObject({
  type: z.literal('choice'),
  instructions: freeDescription.meta({ description: 'The question. Its answer is one of the options in `criteria`.' }),
  criteria: boundedRecord(freeDescription.nullable(), {
    min: 2,
    max: MAX_OPTIONS,
    maxNameCharacters: MAX_QUESTION_NAME_CHARACTERS,
    entry: 'option',
  })
    .refine((criteria) => areDistinct(Object.keys(criteria)), 'has an option twice, but for blanks or letter case')
    .meta({
      description:
        'The options by names of your choice, each with a description, or null if its name says enough. The answer has these names.',
    }),
});

const score = z.strictObject({
  type: z.literal('score'),
  instructions: freeDescription.meta({
    description: 'The question. Its answer is a degree on the scale in `criteria`.',
  }),
  criteria: z
    .array(freeDescription)
    .min(2)
    .max(MAX_OPTIONS)
    .refine((criteria) => areDistinct(criteria.map(questionText)), 'has a criterion twice')
    .meta({
      description: 'Descriptions of the degrees of the scale, from the lowest, which counts as 0, to the highest.',
    }),
});

const label = optionalField(z.string().max(MAX_ID_CHARACTERS));

export const decisionsRequestSchema = z.strictObject({
  model: z.string().min(1).max(MAX_QUESTION_NAME_CHARACTERS).meta({
    description:
      'The id of a model that makes decisions, such as `openai/gpt-4.1-mini-decider`. A suffix requests something more: `:floor` for the lowest price, `:nitro` for the highest throughput.',
  }),
  state: freeDescription.meta({
    description: 'The text, or any JSON, that the questions are about; the model reads it as it is.',
  }),
  questions: boundedRecord(
    z.discriminatedUnion('type', [noul, choice, score], { error: 'must have a type: choice, noul or score' }),
    { min: 1, max: MAX_QUESTIONS, maxNameCharacters: MAX_QUESTION_NAME_CHARACTERS, entry: 'question' },
  ).meta({
    description:
      'The questions to decide, as an object; its keys are names of your choice, under which the answers come back.',
  }),
  models: otherModels.meta({
    description: 'Other models that are tried, in this order, if the first one cannot answer.',
  }),
  provider: routingField,
  ...labelFields,
  // Replaces two of the labels above, because this route allows only shorter texts.
  session_id: label.meta({
    description:
      'An id of your choice for the conversation or job; it does not change the answer. The record has it as the tag `session`.',
  }),
  user: label.meta({
    description:
      'An id of your choice for the end user; it does not change the answer. The record has it as the tag `user`.',
  }),
});
export type DecisionsRequest = z.output<typeof decisionsRequestSchema>;

function areDistinct(texts: string[]): boolean {
  return new Set(texts.map((one) => one.trim().toLowerCase())).size === texts.length;
}

/** Fields whose numbers stay exact: the model gets them as the client wrote them, and `max_price` contains money. */
export const exactWithin = ['state', 'instructions', 'criteria', 'max_price'];

/** Returns a value as text for the model. */
export function questionText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
