import * as z from 'zod';
import { countShape } from '../../http/shapes.ts';
import { answeringModel, answeringProvider, generationId, lateCostShape } from '../parts/shape.ts';

const probabilityShape = z.number().min(0).max(1);
const stated = z.literal(true).optional().meta({
  description: 'True if the model itself has stated the probabilities, and they were not measured; absent otherwise.',
});
const confidenceShape = probabilityShape.meta({
  description: 'How far the most probable answer is above chance: 0 if all are equally probable, 1 if it is certain.',
});
const probabilitiesShape = z.record(z.string(), probabilityShape);

const decisionShape = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('noul'),
    noul: probabilityShape.meta({ description: 'The probability that the answer is yes, from 0 to 1.' }),
    stated_by_model: stated,
  }),
  z.strictObject({
    type: z.literal('choice'),
    choice: z.string().meta({ description: 'The name of the most probable option.' }),
    probabilities: probabilitiesShape.meta({ description: 'The probability of each option, by its name.' }),
    confidence: confidenceShape,
    stated_by_model: stated,
  }),
  z.strictObject({
    type: z.literal('score'),
    score: z.number().meta({
      description: 'The degree to expect: the mean of the degrees, from 0 on, weighted by their probabilities.',
    }),
    legend: z
      .record(z.string(), z.string())
      .meta({ description: 'The descriptions of the degrees, by their numbers from 0 on.' }),
    probabilities: probabilitiesShape.meta({
      description: 'The probability of each degree, by its number from 0 on.',
    }),
    confidence: confidenceShape,
    stated_by_model: stated,
  }),
]);

export const decisionsAnswer = z
  .strictObject({
    id: generationId,
    model: answeringModel,
    provider: answeringProvider,
    answers: z.record(z.string(), decisionShape).meta({
      description:
        'The answers by the names of the questions: `noul` is the probability of yes, `choice` one of the options, `score` a value of the scale.',
    }),
    usage: z
      .strictObject({
        input_tokens: countShape.meta({ description: 'The number of tokens of the prompts, cached or not.' }),
        input_tokens_details: z
          .strictObject({
            cached_tokens: countShape.meta({ description: 'The number of tokens that were read from a cache.' }),
          })
          .optional()
          .meta({ description: 'Parts of `input_tokens`; absent if none were read from a cache.' }),
        output_tokens: countShape.meta({ description: 'The number of tokens of the answers.' }),
        cost: lateCostShape,
      })
      .meta({ description: 'The tokens of all questions together, and their cost.' }),
  })
  .meta({ id: 'Decisions' });
export type DecisionsAnswer = z.output<typeof decisionsAnswer>;
