/**
 * Each request must be sent to an embedding endpoint in the form that the provider accepts, or refused with the name of
 * a field.
 */

import { describe, expect, it } from 'vitest';
import { embeddingsBody } from '../../lambdas/embeddings/schema.ts';
import type { Vector } from '../../lambdas/embeddings/vector.ts';
import { boundOf, prepareOffers, type BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { embeddingsModality } from '../../lambdas/inference/modalities/embeddings.ts';
import { engineCandidate } from '../../lambdas/inference/modalities/modality.ts';
import type { EmbeddingTask } from '../../lambdas/providers/embeddings/codec.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { embeddingFakes, embeddingSources } from './embeddings.ts';

type Candidate = BatchCandidate<EmbeddingTask, Vector[]>;

const candidates = loadShippedCatalog()
  .models.filter(({ id, data }) => data.output_modalities.includes('embeddings') && !id.startsWith('sandbox/'))
  .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })))
  .map(({ model, endpoint }): Candidate => {
    const pricing = endpoint.pricing!;
    const usable = { model, endpoint: { ...endpoint, pricing }, pricing, credential: 'c', isOnlyFirst: false };
    return engineCandidate(embeddingsModality, usable as never)!;
  });
const nameOf = ({ endpoint: { wire, provider } }: Candidate) => `${wire} ${provider.id}`;
const faked = candidates.filter((candidate) => embeddingFakes[nameOf(candidate)]);

const requests: object[] = [
  {},
  { input: 'one text' },
  { input: Array.from({ length: 1_500 }, (_, index) => `text ${index}`) },
  { input: Array.from({ length: 40 }, () => 'x'.repeat(1_000)) },
  { input: [1, 2, 3] },
  { input: [[1, 2], [3]] },
  { input: 'broken \ud83d' },
  { encoding_format: 'float' },
  { encoding_format: 'base64' },
  { dimensions: 256 },
  { output_dtype: 'float', truncation: true, user: 'ann' },
  ...['search_query', 'search_document', 'classification', 'clustering', 'query', 'document', 'passage'].map(
    (input_type) => ({ input_type }),
  ),
];

const taskOf = (request: object) => {
  const body = embeddingsBody.schema.parse({ model: 'm', input: ['one', 'two'], ...request });
  return embeddingsModality.taskOf(
    body,
    embeddingsModality.textsOf(body).map(({ text }) => text),
  );
};

function ask(request: object, candidate: Candidate) {
  const task = taskOf(request);
  try {
    prepareOffers(embeddingsModality.fitting!(task, [candidate], undefined), task, embeddingsModality);
    return { sent: [...candidate.engine.batchRequests(task, candidate.target)] };
  } catch (error) {
    const { metadata } = error as { metadata?: { field?: unknown } };
    if (typeof metadata?.field !== 'string') throw error;
    return { refused: metadata.field };
  }
}

function refusalsOf(candidate: Candidate, request: object, name = nameOf(candidate)): string[] {
  const outcome = ask(request, candidate);
  if ('refused' in outcome) return [];
  return outcome.sent.flatMap(({ request: { body, ...sent } }) =>
    embeddingFakes[name]!.refusals({ ...sent, body: String(body) }, candidate.target.upstreamModel),
  );
}

const useOf = (candidate: Candidate, input_type: string) => {
  const outcome = ask({ input_type }, candidate);
  const sent = 'sent' in outcome ? outcome.sent : [];
  return sent.map(({ request: { body } }) => (JSON.parse(String(body)) as Record<string, unknown>)['input_type']);
};

describe('embedding endpoints of the catalog', () => {
  it('have a strict fake, but for those without a public reference of every field', () => {
    const unfaked = candidates.filter((candidate) => !embeddingFakes[nameOf(candidate)]);

    expect([...new Set(unfaked.map(({ endpoint }) => endpoint.provider.id))].toSorted()).toEqual([
      'gigachat',
      'jina',
      'yandex',
    ]);
  });

  it.each(faked.map((candidate) => [candidate.endpoint.id, candidate] as const))(
    'get only requests that their provider accepts, and refuse others by the name of a field: %s',
    (_id, candidate) => {
      for (const request of requests) {
        expect({ request, refused: refusalsOf(candidate, request) }).toEqual({ request, refused: [] });
      }
    },
  );

  it('refuse only requests that their provider does not support', () => {
    const refused = faked.flatMap((candidate) =>
      requests.flatMap((request) => {
        const outcome = ask(request, candidate);
        return 'refused' in outcome ? [`${nameOf(candidate)} ${outcome.refused}`] : [];
      }),
    );

    expect([...new Set(refused)].toSorted()).toEqual([
      'bedrock-cohere-embeddings amazon-bedrock dimensions',
      'bedrock-cohere-embeddings amazon-bedrock input',
      'bedrock-titan-embeddings amazon-bedrock input',
      'bedrock-titan-embeddings amazon-bedrock input_type',
      'cohere-embeddings cohere-v2 input',
      'google-embeddings google input',
      'openai-embeddings mistral dimensions',
      'openai-embeddings mistral input',
      'openai-embeddings mistral input_type',
      'openai-embeddings openai dimensions',
      'openai-embeddings openai input_type',
      'openai-embeddings voyage input',
      'openai-embeddings voyage input_type',
      'voyage-multimodal voyage input',
      'voyage-multimodal voyage input_type',
    ]);
  });

  it('with one length of vectors accept this length, and send no field for it', () => {
    const fixed = candidates.filter(({ target }) => !target.supportedParameters.includes('dimensions'));
    const ids = fixed.map(({ model }) => model.id);
    expect(ids).toEqual(expect.arrayContaining(['openai/text-embedding-ada-002', 'mistralai/mistral-embed']));
    for (const candidate of fixed) {
      const { vector_dimensions: own } = candidate.target.quirks as { vector_dimensions: number };
      expect(ask({ dimensions: own }, candidate)).toEqual(ask({}, candidate));
      expect(ask({ dimensions: own - 1 }, candidate)).toEqual({ refused: 'dimensions' });
    }
  });

  it('of Voyage get the use of the vectors in the words of Voyage', () => {
    const voyage = faked.filter((candidate) => nameOf(candidate) === 'openai-embeddings voyage');
    expect(voyage).toHaveLength(7);
    for (const candidate of voyage) {
      expect(useOf(candidate, 'query')).toEqual(['query']);
      expect(useOf(candidate, 'search_query')).toEqual(['query']);
      expect(useOf(candidate, 'passage')).toEqual(['document']);
    }
  });
});

describe('an endpoint of NVIDIA’s own server', () => {
  const voyage = faked.find((candidate) => nameOf(candidate) === 'openai-embeddings voyage');
  const quirks = { ...voyage!.target.quirks, embeddings_form: 'nim', dimensions_field: 'dimensions' } as never;
  const candidate = { ...voyage!, target: { ...voyage!.target, quirks } };

  const boundAt = (form: object, input: string[]) => {
    const target = { ...candidate.target, quirks: { ...voyage!.target.quirks, ...form } as never };
    const [batchRequest] = candidate.engine.batchRequests(taskOf({ input }), target);
    return boundOf(batchRequest!, candidate).promptTokens;
  };

  it.each([{}, { input_type: 'query' }, { input_type: 'document', dimensions: 256 }])('accepts %j', (request) => {
    expect(refusalsOf(candidate, request, 'openai-embeddings nim')).toEqual([]);
  });

  it('has the same bound for texts with the same number of bytes', () => {
    const bounds = ['я'.repeat(100), 'a'.repeat(200)].map((text) => boundAt({}, [text]));
    expect(bounds[0]).toBe(bounds[1]);
  });

  it('may count the tokens of a prompt for each text', () => {
    // The second case has a character that a provider may read as a phrase (in the Unicode form NFKC).
    for (const input of [
      ['a', 'b'],
      ['\ufdfa'.repeat(100), 'b'],
    ])
      expect(boundAt({ embeddings_form: 'nim' }, input)).toBeGreaterThanOrEqual(
        boundAt({ embeddings_form: undefined }, input) + 2 * 128,
      );
  });
});

const refusals = (name: string, body: object, model = 'mistral-embed') =>
  embeddingFakes[name]!.refusals({ path: '/', headers: {}, body: JSON.stringify(body) }, model).join();

describe('a strict fake of embeddings', () => {
  it.each([
    ['openai-embeddings openai', { model: 'm', input: 'a', input_type: 'query' }, /input_type/],
    ['openai-embeddings voyage', { model: 'm', input: ['a'], encoding_format: 'float' }, /encoding_format/],
    ['openai-embeddings voyage', { model: 'm', input: ['a'] }, /cut/],
    ['openai-embeddings mistral', { model: 'm', input: 'a', output_dimension: 256 }, /output_dimension/],
    ['openai-embeddings nim', { model: 'm', input: 'a' }, /input_type/],
    ['cohere-embeddings cohere-v2', { model: 'm', texts: ['a'] }, /input_type/],
    ['bedrock-titan-embeddings amazon-bedrock', { inputText: '' }, /inputText/],
    ['google-embeddings google', { requests: [] }, /requests/],
  ])('of %s refuses %j', (name, body, reason) => {
    expect(refusals(name, body)).toMatch(reason);
  });

  it.each([
    ['amazon.titan-embed-text-v2:0', { inputText: 'a', inputImage: 'AAAA' }, /inputImage/],
    ['amazon.titan-embed-text-v2:0', { inputText: 'a', embeddingConfig: {} }, /embeddingConfig/],
    ['amazon.titan-embed-text-v2:0', {}, /inputText/],
    ['amazon.titan-embed-image-v1', { inputText: 'a', dimensions: 256 }, /dimensions/],
    ['amazon.titan-embed-image-v1', { inputImage: 'data:image/png;base64,AAAA' }, /inputImage/],
    ['amazon.titan-embed-image-v1', {}, /required/],
    ['amazon.titan-embed-image-v1', { inputText: 'a', inputImage: 'AAAA' }, /^$/],
  ])('of %s at Amazon accepts or refuses %j', (model, body, reason) => {
    expect(refusals('bedrock-titan-embeddings amazon-bedrock', body, model)).toMatch(reason);
  });

  it('names its sources', () => {
    expect(embeddingSources.filter((source) => !/^https:\/\/\S+$/.test(source))).toEqual([]);
  });
});
