import { promptTokens } from '../../accounting/usage.ts';
import { claimOf } from '../../admission/request-claim.ts';
import { encodedVector } from '../../embeddings/vector.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { answerEmbeddings } from '../../inference/embeddings/answer-embeddings.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { resources } from '../../resources.ts';
import { embeddingsBody } from './fields.ts';
import type { EmbeddingsAnswer } from './shape.ts';

export const accepts = { ...embeddingsBody, meanwhile: refreshSignals };

/** Embeds all texts of a request, or none. */
export const handler = defineEndpoint('create-embeddings', accepts, async (input) => {
  const { request, caller, body, generationId } = input;
  const claim = await claimOf(resources.table(), { route: 'create-embeddings', ...request, payer: caller.payer });
  const { candidate, vectors, charged } = await answerEmbeddings({ ...input, claim });
  const encoding = body.encoding_format ?? 'float';
  const tokens = promptTokens(charged.usage);
  // Usage that a provider does not report is counted, and settled a little later.
  const isPending = charged.estimated;
  const answer: EmbeddingsAnswer = {
    id: generationId,
    object: 'list',
    model: candidate.model.id,
    provider: candidate.endpoint.provider.name,
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encodedVector(vector, encoding) as number[] | string,
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens, ...(isPending ? {} : { cost: charged.cost }) },
  };
  return jsonResponse<EmbeddingsAnswer>(200, answer, isPending ? { 'x-service-billing-status': 'pending' } : {});
});
