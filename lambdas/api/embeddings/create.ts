import { promptTokens } from '../../accounting/usage.ts';
import { claimOf } from '../../admission/request-claim.ts';
import type { VectorEncoding } from '../../embeddings/schema.ts';
import { encodedVector, type Vector } from '../../embeddings/vector.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { listResponse } from '../../http/list-response.ts';
import { answerModality } from '../../inference/modalities/answer.ts';
import { embeddingsModality } from '../../inference/modalities/embeddings.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { resources } from '../../resources.ts';
import { embeddingsBody } from './fields.ts';
import type { EmbeddingsAnswer } from './shape.ts';

export const accepts = { ...embeddingsBody, meanwhile: refreshSignals };

/** Embeds all texts of a request, or none. */
export const handler = defineEndpoint('create-embeddings', accepts, async (input) => {
  const { request, caller, body, generationId } = input;
  const claim = await claimOf(resources.table(), { route: 'create-embeddings', ...request, payer: caller.payer });
  const { candidate, result, charged } = await answerModality(embeddingsModality, { ...input, claim });
  const encoding = body.encoding_format ?? 'float';
  const tokens = promptTokens(charged.usage);
  // Usage that a provider does not report is counted, and settled a little later.
  const isPending = charged.estimated;
  const answer: Omit<EmbeddingsAnswer, 'data'> = {
    id: generationId,
    object: 'list',
    model: candidate.model.id,
    provider: candidate.endpoint.provider.name,
    usage: { prompt_tokens: tokens, total_tokens: tokens, ...(isPending ? {} : { cost: charged.cost }) },
  };
  const list = { name: 'data', elements: embeddingsOf(result, encoding) };
  return listResponse(answer, list, isPending ? { 'x-service-billing-status': 'pending' } : {});
});

function* embeddingsOf(
  vectors: readonly Vector[],
  encoding: VectorEncoding,
): Generator<EmbeddingsAnswer['data'][number], void> {
  for (const [index, vector] of vectors.entries()) {
    yield { object: 'embedding', index, embedding: encodedVector(vector, encoding) as number[] | string };
  }
}
