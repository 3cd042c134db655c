import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireOf } from '../../lambdas/catalog/wires.ts';
import { wholeSend } from '../../lambdas/providers/batch-engine.ts';
import type { RerankTarget, RerankTask } from '../../lambdas/providers/rerank/codec.ts';
import { rerankEngines } from '../../lambdas/providers/rerank/engines.ts';
import { searchUnitsOf } from '../../lambdas/providers/rerank/search-units.ts';

type RerankWireName = WireOf<'rerank'>;
type Quirks = RerankTarget['quirks'];

const target = (quirks: Quirks = {}): RerankTarget => ({
  providerId: 'acme',
  upstreamModel: 'rank-1',
  maxOutputTokens: undefined,
  supportedParameters: [],
  quirks,
});
const task = (more: Partial<RerankTask> = {}): RerankTask => ({
  query: 'parcel',
  documents: ['one', 'two', 'three'],
  topN: 3,
  maxTokensPerDoc: undefined,
  ...more,
});
const askOf = (wire: RerankWireName, more: Partial<RerankTask> = {}, quirks: Quirks = {}) =>
  [...rerankEngines[wire].batchRequests(task(more), target(quirks))][0]!;
const bodyOf = (...asked: Parameters<typeof askOf>) => JSON.parse(String(askOf(...asked).request.body)) as object;

describe('a request for a rank', () => {
  it.each<[string, RerankWireName, Quirks, object]>([
    [
      'Jina',
      'rerank',
      {},
      { model: 'rank-1', query: 'parcel', documents: ['one', 'two', 'three'], top_n: 2, return_documents: false },
    ],
    [
      'Voyage',
      'rerank',
      { rerank_form: 'voyage' },
      {
        model: 'rank-1',
        query: 'parcel',
        documents: ['one', 'two', 'three'],
        top_k: 2,
        return_documents: false,
        truncation: false,
      },
    ],
    [
      'TEI',
      'rerank',
      { rerank_form: 'tei' },
      { query: 'parcel', texts: ['one', 'two', 'three'], raw_scores: false, return_text: false, truncate: false },
    ],
    ['Cohere', 'cohere-rerank', {}, { model: 'rank-1', query: 'parcel', documents: ['one', 'two', 'three'], top_n: 2 }],
    [
      'Amazon Bedrock',
      'bedrock-rerank',
      {},
      {
        queries: [{ type: 'TEXT', textQuery: { text: 'parcel' } }],
        sources: ['one', 'two', 'three'].map((text) => ({
          type: 'INLINE',
          inlineDocumentSource: { type: 'TEXT', textDocument: { text } },
        })),
        rerankingConfiguration: {
          type: 'BEDROCK_RERANKING_MODEL',
          bedrockRerankingConfiguration: { modelConfiguration: { modelArn: 'rank-1' }, numberOfResults: 2 },
        },
      },
    ],
  ])('has the fields of %s', (_provider, wire, quirks, body) => {
    expect(bodyOf(wire, { topN: 2 }, quirks)).toEqual(body);
    expect(askOf(wire, {}, quirks).request.path).toBe('/rerank');
  });

  it('has max_tokens_per_doc for Cohere', () => {
    expect(bodyOf('cohere-rerank', { maxTokensPerDoc: 100 })).toMatchObject({ max_tokens_per_doc: 100 });
  });

  it('is refused with more documents than the endpoint takes', () => {
    const documents = Array.from({ length: 33 }, () => 'a');

    expect(() => askOf('rerank', { documents }, { max_documents: 32 })).toThrow(
      expect.objectContaining({ status: 400, metadata: expect.objectContaining({ field: 'documents' }) as object }),
    );
  });

  it.each([
    ['query', { query: 'a'.repeat(32_001) }],
    ['documents.1', { documents: ['a', 'a'.repeat(32_001)] }],
  ])('is refused on Bedrock with a text that is too long: %s', (field, more) => {
    expect(() => askOf('bedrock-rerank', more)).toThrow(
      expect.objectContaining({ status: 400, metadata: expect.objectContaining({ field }) as object }),
    );
  });
});

const answered = (wire: RerankWireName, body: unknown, more: Partial<RerankTask> = {}, quirks: Quirks = {}) =>
  rerankEngines[wire].answer(
    task(more),
    target(quirks),
    wholeSend(() => Promise.resolve(body)),
  );
const results = (...pairs: [index: unknown, score: unknown][]) => ({
  results: pairs.map(([index, relevance_score]) => ({ index, relevance_score })),
});

describe('an answer with a rank', () => {
  it.each<[string, RerankWireName, Quirks, unknown]>([
    ['Jina', 'rerank', {}, results([1, 0.5], [2, 0.9])],
    [
      'vLLM',
      'rerank',
      {},
      {
        results: [
          { index: 2, document: { text: 'three' }, relevance_score: 0.9 },
          { index: 1, document: { text: 'two' }, relevance_score: 0.5 },
        ],
      },
    ],
    [
      'Voyage',
      'rerank',
      { rerank_form: 'voyage' },
      {
        data: [
          { index: 2, relevance_score: 0.9 },
          { index: 1, relevance_score: 0.5 },
        ],
      },
    ],
    [
      'TEI, which returns all documents',
      'rerank',
      { rerank_form: 'tei' },
      [
        { index: 2, score: 0.9 },
        { index: 1, score: 0.5 },
        { index: 0, score: 0.1 },
      ],
    ],
    ['LocalAI, which ignores top_n', 'rerank', {}, results([0, 0.1], [1, 0.5], [2, 0.9])],
    ['Cohere', 'cohere-rerank', {}, results([2, 0.9], [1, 0.5])],
    [
      'Amazon Bedrock',
      'bedrock-rerank',
      {},
      {
        results: [
          { index: 2, relevanceScore: 0.9 },
          { index: 1, relevanceScore: 0.5 },
        ],
      },
    ],
  ])('is in the order of its scores: %s', async (_provider, wire, quirks, body) => {
    expect(await answered(wire, body, { topN: 2 }, quirks)).toEqual([
      { index: 2, score: 0.9 },
      { index: 1, score: 0.5 },
    ]);
  });

  it('is read from recorded answers of Cohere and Amazon Bedrock', async () => {
    const cohere = {
      id: 'b44fe75b-e3d3-489a-b61e-1a1aede3ef72',
      results: [
        { index: 1, relevance_score: 0.10183054 },
        { index: 0, relevance_score: 0.03762639 },
      ],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    };
    const bedrock = { results: [{ index: 0, relevanceScore: 0.5110583305358887 }] };

    expect(await answered('cohere-rerank', cohere)).toEqual([
      { index: 1, score: 0.10183054 },
      { index: 0, score: 0.03762639 },
    ]);
    expect(rerankEngines['cohere-rerank'].readUsage(cohere, {})).toMatchObject({ search_units: 1 });
    expect(await answered('bedrock-rerank', bedrock)).toEqual([{ index: 0, score: 0.5110583305358887 }]);
  });

  it('keeps the order of the request for equal scores, and scores below zero', async () => {
    expect(await answered('rerank', results([2, -1], [0, -1], [1, 4]))).toEqual([
      { index: 1, score: 4 },
      { index: 0, score: -1 },
      { index: 2, score: -1 },
    ]);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'ok'],
    ['no results', {}],
    ['an empty list', { results: [] }],
    ['an object in place of the list', { results: { 0: { index: 0, relevance_score: 1 } } }],
    ['null in the list', { results: [null] }],
    ['an index beyond the documents', results([3, 0.5])],
    ['a negative index', results([-1, 0.5])],
    ['a fraction as index', results([0.5, 0.5])],
    ['a text as index', results(['0', 0.5])],
    ['no index', results([undefined, 0.5])],
    ['the same index twice', results([0, 0.5], [0, 0.4])],
    ['no score', results([0, undefined])],
    ['null as score', results([0, null])],
    ['a text as score', results([0, '0.5'])],
    ['an infinite score', results([0, Infinity])],
    ['a score that is not a number', results([0, NaN])],
    ['more results than documents', results([0, 1], [1, 1], [2, 1], [3, 1])],
  ])('is the provider’s failure with %s', async (_what, body) => {
    for (const wire of ['rerank', 'cohere-rerank'] as const) {
      await expect(answered(wire, body, { topN: 2 })).rejects.toMatchObject({ failure: 'malformed' });
    }
  });

  it('is a rank or the provider’s failure, whatever is sent', async () => {
    const anyResult = fc.record({ index: fc.anything(), relevance_score: fc.anything(), score: fc.anything() });
    const likely = fc.record({ index: fc.integer({ min: -1, max: 4 }), relevance_score: fc.double() });
    const list = fc.array(fc.oneof(anyResult, likely, fc.anything()), { maxLength: 4 });
    const body = fc.oneof(fc.anything(), fc.record({ results: list }), fc.record({ data: list }), list);
    const form = fc.constantFrom('jina', 'voyage', 'tei', undefined);
    await fc.assert(
      fc.asyncProperty(body, form, async (sent, rerank_form) => {
        const ranked = await answered('rerank', sent, { topN: 2 }, rerank_form ? { rerank_form } : {}).catch(
          (error: unknown) => {
            expect(error).toMatchObject({ failure: 'malformed' });
            return [];
          },
        );
        expect(ranked.length).toBeLessThanOrEqual(2);
        expect(ranked.every(({ index, score }) => index >= 0 && index < 3 && Number.isFinite(score))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['cohere-rerank', { meta: { billed_units: { search_units: 2 } } }, { search_units: 2 }],
    ['cohere-rerank', { meta: { billed_units: { input_tokens: 7 } } }, { input_tokens: 7 }],
    ['rerank', { usage: { total_tokens: 7 } }, { input_tokens: 7 }],
    ['rerank', { usage: { prompt_tokens: 7 } }, { input_tokens: 7 }],
    ['rerank', { usage: { prompt_tokens: 7, total_tokens: 0 } }, { input_tokens: 7 }],
    ['rerank', { meta: { billed_units: null, tokens: { input_tokens: 7, output_tokens: 1 } } }, { input_tokens: 7 }],
    ['cohere-rerank', { meta: { billed_units: { input_tokens: 0, total_tokens: 7 } } }, { input_tokens: 7 }],
    ['rerank', { usage: { search_units: 2, total_tokens: 7 } }, { search_units: 2, input_tokens: 7 }],
  ] as const)('reports its usage: %s %j', (wire, body, usage) => {
    expect(rerankEngines[wire].readUsage(body, {})).toMatchObject(usage);
  });

  it.each([
    ['cohere-rerank', { meta: null }],
    ['cohere-rerank', { meta: { billed_units: { search_units: '2' } } }],
    ['rerank', { usage: { total_tokens: '7' } }],
    ['rerank', [{ index: 0, score: 1 }]],
    ['bedrock-rerank', { results: [] }],
  ] as const)('may report none: %s %j', (wire, body) => {
    expect(rerankEngines[wire].readUsage(body, {})).toBeUndefined();
  });
});

const copies = (count: number, text: string) => Array.from({ length: count }, () => text);

describe('search units', () => {
  const chunks = { tokensPerChunk: 500, maxTokensPerDoc: Infinity };
  const unitsOf = (more: Partial<RerankTask>, limits = chunks) => searchUnitsOf(task(more), limits);

  it.each([
    [100, 1],
    [101, 2],
    [1_000, 10],
  ])('of %i short documents are %i', (count, units) => {
    expect(unitsOf({ documents: copies(count, 'short') })).toEqual({ max: units, estimated: units });
  });

  it('count a long document as several, with the query in each part', () => {
    // A part has 500 tokens, of which the query leaves 400 to 475 for the document.
    const documents = copies(100, 'a'.repeat(1_900));
    expect(unitsOf({ query: 'q'.repeat(100), documents })).toEqual({ max: 5, estimated: 1 });
  });

  it('leave half of each part to the document, however long the query is', () => {
    expect(unitsOf({ query: 'q'.repeat(100_000), documents: copies(100, 'a'.repeat(500)) })).toEqual({
      max: 2,
      estimated: 1,
    });
  });

  it('count no more of a document than is read', () => {
    const documents = copies(100, 'a'.repeat(1_000_000));
    expect(unitsOf({ documents }, { ...chunks, maxTokensPerDoc: 400 })).toEqual({ max: 1, estimated: 1 });
  });

  it('never have an estimate above their maximum', () => {
    const text = fc.string({ maxLength: 3_000 });
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 300 }), (query, documents) => {
        const { max, estimated } = unitsOf({ query, documents });
        expect(estimated).toBeLessThanOrEqual(max);
        expect(estimated).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
