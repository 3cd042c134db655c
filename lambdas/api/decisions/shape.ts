import * as z from 'zod';
import { countShape, rub } from '../../http/shapes.ts';

const probabilityShape = z.number().min(0).max(1);
const stated = z.literal(true).optional().meta({
  description: 'The probabilities are what the model says of itself: nothing was measured.',
});
const probabilitiesShape = z.record(z.string(), probabilityShape);

const decisionShape = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('noul'), noul: probabilityShape, stated_by_model: stated }),
  z.strictObject({
    type: z.literal('choice'),
    choice: z.string(),
    probabilities: probabilitiesShape,
    confidence: probabilityShape,
    stated_by_model: stated,
  }),
  z.strictObject({
    type: z.literal('score'),
    score: z.number(),
    legend: z.record(z.string(), z.string()),
    probabilities: probabilitiesShape,
    confidence: probabilityShape,
    stated_by_model: stated,
  }),
]);

export const decisionsAnswer = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the generation.' }),
    model: z.string().meta({ description: 'The id of the model that answered.' }),
    provider: z.string().meta({ description: 'The name of the provider that answered.' }),
    answers: z.record(z.string(), decisionShape).meta({
      description:
        'The answers by the names of the questions: `noul` is the probability of yes, `choice` one of the options, `score` a value of the scale.',
    }),
    usage: z
      .strictObject({
        input_tokens: countShape.meta({ description: 'The number of tokens of the prompt.' }),
        output_tokens: countShape.meta({ description: 'The number of tokens that the model wrote.' }),
        cost: rub.optional().meta({
          description:
            'What the request cost, in RUB; absent while it is not known: the record of the generation has it a little later.',
        }),
      })
      .meta({ description: 'The tokens of all questions together, and what they cost.' }),
  })
  .meta({ id: 'Decisions' });
export type DecisionsAnswer = z.output<typeof decisionsAnswer>;
