import * as z from 'zod';
import { countShape, rub } from '../../http/shapes.ts';

const probability = z.number().min(0).max(1);
const stated = z.literal(true).optional().meta({
  description: 'The probabilities are what the model says of itself: nothing was measured.',
});
const probabilities = z.record(z.string(), probability);

const answer = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('noul'), noul: probability, stated_by_model: stated }),
  z.strictObject({
    type: z.literal('choice'),
    choice: z.string(),
    probabilities,
    confidence: probability,
    stated_by_model: stated,
  }),
  z.strictObject({
    type: z.literal('score'),
    score: z.number(),
    legend: z.record(z.string(), z.string()),
    probabilities,
    confidence: probability,
    stated_by_model: stated,
  }),
]);

export const decisionsAnswer = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the generation.' }),
    model: z.string(),
    provider: z.string(),
    answers: z.record(z.string(), answer),
    usage: z.strictObject({
      input_tokens: countShape,
      output_tokens: countShape,
      cost: rub.optional().meta({ description: 'In RUB; absent while the price is not known.' }),
    }),
  })
  .meta({ id: 'Decisions' });
export type DecisionsAnswer = z.output<typeof decisionsAnswer>;
