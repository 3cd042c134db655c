import type { Charged } from '../../accounting/charge.ts';
import type { EmbeddingsRequest } from '../../embeddings/schema.ts';
import type { Vector } from '../../embeddings/vector.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { embed, embeddingAsks } from '../../providers/embeddings/embed.ts';
import type { EmbeddingTask } from '../../providers/embeddings/engine.ts';
import type { EmbeddingCandidate } from '../../routing/embedding-candidates.ts';
import type { LeaveOut } from '../../routing/left-out.ts';
import { answerAsked, askedTerms } from '../asked/answer-asked.ts';
import { prepareOffers, type AskedOffer } from '../asked/offers.ts';
import type { InferenceInput } from '../inference-input.ts';
import { protectionOf } from '../protection-of.ts';
import { refuseEarly } from '../refuse-early.ts';
import { routeEmbeddings } from './routed-embeddings.ts';

/** Their answers are large, and all wait in memory for the last one. */
const MAX_BATCHES_AT_ONCE = 4;

export interface AnsweredEmbeddings {
  candidate: EmbeddingCandidate;
  /** One for each input, in their order. */
  vectors: Vector[];
  charged: Charged;
}

/**
 * Embeds all inputs of a request, or none: candidates, hold, requests to a provider, settlement.
 * @throws {GatewayError} when the request goes nowhere, is not admitted, or nobody embeds
 */
export async function answerEmbeddings(input: InferenceInput<EmbeddingsRequest>): Promise<AnsweredEmbeddings> {
  const { body, caller } = input;
  const protection = protectionOf(input, () => refuseEarly(input, embeddingNeeds));
  const { task, candidates } = await routeEmbeddings(body, { caller, protection });
  const offers = embeddingOffers(candidates, task);
  const { candidate, answer, charged } = await answerAsked(input, {
    apiType: 'embeddings',
    offers,
    answerOf: ({ engine, target }: EmbeddingCandidate, send) => embed(engine, task, target, send),
    maxAtOnce: MAX_BATCHES_AT_ONCE,
    outOfTime: 'The texts took longer than the gateway may run. Send fewer at once.',
  });
  return { candidate, vectors: answer, charged };
}

async function embeddingNeeds(input: InferenceInput<EmbeddingsRequest>) {
  const { body, caller } = input;
  const { task, candidates } = await routeEmbeddings(body, { caller, protection: protectionOf(input) });
  return { candidates, terms: askedTerms('embeddings', embeddingOffers(candidates, task)) };
}

/** What a task may come to at each candidate. @throws {GatewayError} 400 where no candidate can be asked so much */
export function embeddingOffers(
  candidates: readonly EmbeddingCandidate[],
  task: EmbeddingTask,
  leaveOut?: LeaveOut,
): AskedOffer<EmbeddingCandidate>[] {
  return prepareOffers(
    candidates,
    {
      asksOf: ({ engine, target }) => embeddingAsks(engine, task, target),
      tooLarge: (maxMebibytes) =>
        invalidRequest('input', `is more than ${maxMebibytes} MiB for this model; send fewer texts`),
      tooMany: (asks, maxAsks) =>
        invalidRequest(
          'input',
          `takes ${asks} requests to this model, of which one may take ${maxAsks}; send fewer texts`,
        ),
    },
    leaveOut,
  );
}
