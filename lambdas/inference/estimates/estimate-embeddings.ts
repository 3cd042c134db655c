import type { EmbeddingsRequest } from '../../embeddings/schema.ts';
import { LeftOutEndpoints } from '../../routing/left-out.ts';
import { embeddingOffers } from '../embeddings/answer-embeddings.ts';
import { protectionOf } from '../protection-of.ts';
import { routeEmbeddings } from '../embeddings/routed-embeddings.ts';
import { estimateAsked } from './estimate-asked.ts';
import type { Estimate, EstimateInput } from './estimate.ts';

/** Estimates embeddings. @throws {GatewayError} what they are refused with before their hold */
export async function estimateEmbeddings(input: EstimateInput<EmbeddingsRequest>): Promise<Estimate> {
  const leftOut = new LeftOutEndpoints();
  const { task, candidates } = await routeEmbeddings(input.body, {
    caller: input.caller,
    protection: protectionOf(input),
    leaveOut: leftOut.add,
  });
  return estimateAsked(input, 'embeddings', embeddingOffers(candidates, task, leftOut.add), leftOut);
}
