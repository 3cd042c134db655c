/**
 * Each request must be sent to a rerank endpoint in the form that the provider accepts, or refused with the name of a
 * field.
 */

import { describe, expect, it } from 'vitest';
import { prepareOffers, type BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { engineCandidate } from '../../lambdas/inference/modalities/modality.ts';
import { rerankModality } from '../../lambdas/inference/modalities/rerank.ts';
import { rankedText, rerankBody } from '../../lambdas/inference/modalities/rerank-schema.ts';
import type { RankedDocument, RerankTask } from '../../lambdas/providers/rerank/codec.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { rerankFakes, rerankRules } from './rerank.ts';

const places = loadShippedCatalog()
  .models.filter(({ id, data }) => data.output_modalities.includes('rerank') && !id.startsWith('sandbox/'))
  .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })));

const requests: object[] = [
  {},
  { documents: ['only one'] },
  { top_n: 1 },
  { top_n: 1_000 },
  { top_k: 2 },
  { return_documents: false },
  { return_documents: true, top_n: 2 },
  { documents: [{ text: 'one' }, 'two'] },
  { documents: [{ title: 'one', body: 'two', id: 1 }, 'three'], rank_fields: ['title', 'body'] },
  { documents: Array.from({ length: 1_000 }, (_, index) => `document ${index}`) },
  { documents: Array.from({ length: 33 }, (_, index) => `document ${index}`), top_n: 5 },
  { documents: ['word '.repeat(10_000), 'short'] },
  { query: 'word '.repeat(10_000) },
  { query: 'broken \ud83d', documents: ['\udc00', 'whole'] },
  { max_tokens_per_doc: 100 },
];

interface Place {
  candidate: BatchCandidate<RerankTask, RankedDocument[]>;
  providerId: string;
}

function placeOf({ model, endpoint }: (typeof places)[number]): Place {
  const pricing = endpoint.pricing!;
  const usable = { model, endpoint: { ...endpoint, pricing }, pricing, credential: 'c', isOnlyFirst: false };
  return { candidate: engineCandidate(rerankModality, usable as never)!, providerId: endpoint.provider.id };
}

function ask(request: object, { candidate }: Place): { sent: string } | { refused: unknown } {
  const body = rerankBody.schema.parse({
    model: candidate.model.id,
    query: 'What is it?',
    documents: ['a', 'b', 'c'],
    ...request,
  });
  const task = rerankModality.taskOf(body, [
    body.query,
    ...body.documents.map((one) => rankedText(one, body.rank_fields)),
  ]);
  try {
    const candidates = rerankModality.fitting!(task, [candidate], undefined);
    prepareOffers(candidates, task, rerankModality);
    const [first] = candidate.engine.batchRequests(task, candidate.target);
    return { sent: String(first!.request.body) };
  } catch (error) {
    const { metadata } = error as { metadata?: { field?: unknown } };
    if (typeof metadata?.field !== 'string') throw error;
    return { refused: metadata.field };
  }
}

describe('rerank endpoints of the catalog', () => {
  it('are at least eight models, each with a strict fake', () => {
    expect(new Set(places.map(({ model }) => model.id)).size).toBeGreaterThanOrEqual(8);
    expect(places.filter(({ endpoint }) => !rerankFakes[endpoint.provider.id])).toEqual([]);
  });

  it.each(places.map((place) => [place.endpoint.id, placeOf(place)] as const))(
    'get only requests that their provider accepts, and refuse others by the name of a field: %s',
    (_id, place) => {
      const fake = rerankFakes[place.providerId]!;
      for (const request of requests) {
        const outcome = ask(request, place);
        const refused =
          'sent' in outcome
            ? fake.refusals({ path: '/rerank', headers: {}, body: outcome.sent }, place.candidate.target.upstreamModel)
            : [];
        expect({ request: Object.keys(request), refused }).toEqual({ request: Object.keys(request), refused: [] });
      }
    },
  );

  it('refuse only requests that their provider does not support', () => {
    const refused = places.map(placeOf).flatMap((place) =>
      requests.flatMap((request) => {
        const outcome = ask(request, place);
        return 'refused' in outcome ? [`${place.providerId} ${String(outcome.refused)}`] : [];
      }),
    );

    expect([...new Set(refused)].toSorted()).toEqual([
      'amazon-bedrock-agents documents.0',
      'amazon-bedrock-agents max_tokens_per_doc',
      'amazon-bedrock-agents query',
      'jina max_tokens_per_doc',
      'tei documents',
      'tei max_tokens_per_doc',
      'vllm max_tokens_per_doc',
      'voyage max_tokens_per_doc',
    ]);
  });
});

const refusals = (provider: string, body: object) =>
  rerankFakes[provider]!.refusals({ path: '/rerank', headers: {}, body: JSON.stringify(body) }, 'm');

describe('a strict fake of a reranker', () => {
  const hello = { model: 'm', query: 'q', documents: ['a', 'b'] };

  it.each([
    ['cohere-v2', { return_documents: false }, /return_documents/],
    ['cohere-v2', { top_n: 3 }, /more results/],
    ['cohere-v2', { documents: [''] }, /documents/],
    ['jina', { top_k: 1 }, /top_k/],
    ['voyage', { top_n: 1 }, /top_n/],
    ['tei', {}, /texts/],
    ['amazon-bedrock-agents', {}, /queries/],
  ])('of %s refuses %j', (provider, more, reason) => {
    expect(refusals(provider, { ...hello, ...more }).join()).toMatch(reason);
  });

  it.each(['cohere-v2', 'jina', 'vllm', 'voyage'])('of %s accepts the usual request', (provider) => {
    expect(refusals(provider, hello)).toEqual([]);
  });

  it('names its sources', () => {
    expect(rerankRules.filter(({ source }) => !/^https:\/\/\S+$/.test(source))).toEqual([]);
  });
});
