import * as z from 'zod';
import { countShape } from '../../http/shapes.ts';
import { answeringModel, answeringProvider, generationId, lateCostShape } from '../parts/shape.ts';

const place = {
  index: countShape.meta({ description: 'The place of the document in the request.' }),
  relevance_score: z.number().meta({
    description: 'The relevance of the document to the query. Scores of different models cannot be compared.',
  }),
};

export const rerankAnswer = z
  .strictObject({
    id: generationId,
    model: answeringModel,
    provider: answeringProvider,
    results: z
      .array(
        z.strictObject({
          ...place,
          document: z
            .strictObject({ text: z.string().meta({ description: 'The text of the document.' }) })
            .optional()
            .meta({ description: 'The document as you sent it; absent with `return_documents: false`.' }),
        }),
      )
      .meta({ description: 'The documents, the most relevant first.' }),
    data: z.array(z.strictObject(place)).optional().meta({
      description: '`results` without documents, for clients of Voyage, whose requests have `top_k` or `truncation`.',
    }),
    usage: z
      .strictObject({
        search_units: countShape.optional().meta({
          description: 'The search units, if the provider counts them: a query with up to 100 documents is one.',
        }),
        total_tokens: countShape.optional().meta({
          description:
            'The tokens of the query and the documents; absent if the provider counts search units, but 0 for clients of Voyage.',
        }),
        cost: lateCostShape,
      })
      .meta({ description: 'The counted units, and their cost.' }),
  })
  .meta({ id: 'Rerank' });
export type RerankAnswer = z.output<typeof rerankAnswer>;
