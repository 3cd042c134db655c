import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireOf } from '../../lambdas/catalog/wires.ts';
import { encodedVector } from '../../lambdas/embeddings/vector.ts';
import { wholeSend, type BatchRequest } from '../../lambdas/providers/batch-engine.ts';
import type { EmbeddingTarget, EmbeddingTask } from '../../lambdas/providers/embeddings/codec.ts';
import { embeddingEngines } from '../../lambdas/providers/embeddings/engines.ts';

type EmbeddingsWireName = WireOf<'embeddings'>;

const target = (quirks: EmbeddingTarget['quirks'] = {}): EmbeddingTarget => ({
  providerId: 'acme',
  upstreamModel: 'embed-1',
  maxOutputTokens: undefined,
  supportedParameters: [],
  quirks,
});
const task = (more: Partial<EmbeddingTask> = {}): EmbeddingTask => ({
  inputs: ['one', 'two'],
  encoding: 'float',
  dimensions: undefined,
  inputType: undefined,
  ...more,
});
const bodyOf = ({ request }: BatchRequest) => JSON.parse(String(request.body)) as Record<string, unknown>;
const asked = (wire: EmbeddingsWireName, more: Partial<EmbeddingTask> = {}, quirks: EmbeddingTarget['quirks'] = {}) =>
  Array.from(embeddingEngines[wire].batchRequests(task(more), target(quirks)));

const answered = (wire: EmbeddingsWireName, body: unknown, more: Partial<EmbeddingTask> = {}) =>
  embeddingEngines[wire].answer(
    task(more),
    target(),
    wholeSend(() => Promise.resolve(body)),
  );

describe('a request for embeddings', () => {
  it('has the form of OpenAI’s API', () => {
    const [ask] = asked('openai-embeddings', { dimensions: 256, encoding: 'base64' });

    expect(ask!.request.path).toBe('/embeddings');
    // The gateway requests numbers, although the client requests base64, and encodes the numbers itself.
    expect(bodyOf(ask!)).toEqual({
      model: 'embed-1',
      input: ['one', 'two'],
      encoding_format: 'float',
      dimensions: 256,
    });
  });

  it.each([
    ['texts', ['cat', 'a'.repeat(400)], 1 + 100],
    ['tokens', [[1, 2, 3, 4, 5]], 5],
  ])('estimates %s without the JSON around them if a provider reports no usage', (_kind, inputs, tokens) => {
    const [ask] = asked('openai-embeddings', { inputs }, { takes_tokens: true });

    expect(ask!.estimatedPrompt).toEqual({ inputTokens: tokens });
  });

  it('allows an answer with vectors of the maximum length, each number as text', () => {
    const dimensions = 16_384;
    const [ask] = asked('openai-embeddings', { inputs: ['one'], dimensions });
    const longest = JSON.stringify({ data: [{ index: 0, embedding: Array(dimensions).fill(-0.012345678901234567) }] });

    expect(ask!.maxAnswerBytes).toBeGreaterThan(longest.length);
  });

  it.each([
    ['the request', { dimensions: 16_384 }, {}, [21, 21, 8]],
    ['the catalog', {}, { vector_dimensions: 16_384 }, [21, 21, 8]],
    ['neither field, so that they may be long', { inputs: Array<string>(100).fill('one') }, {}, [58, 42]],
  ])('is divided if its vectors do not fit into one answer (their length is in %s)', (_where, more, quirks, counts) => {
    const asks = asked('openai-embeddings', { inputs: Array<string>(50).fill('one'), ...more }, quirks);

    expect(asks.map(({ inputs }) => inputs)).toEqual(counts);
  });

  it('never expects an answer above nine megabytes', () => {
    const [inputs, dimensions] = [fc.integer({ min: 1, max: 2_048 }), fc.integer({ min: 1, max: 16_384 })];
    fc.assert(
      fc.property(inputs, fc.option(dimensions), fc.option(dimensions), (count, requested, usual) => {
        fc.pre(count * (requested ?? usual ?? 0) <= 2_048 * 4_096);
        const more = { inputs: Array<string>(count).fill('one'), dimensions: requested ?? undefined };
        const asks = asked('openai-embeddings', more, usual === null ? {} : { vector_dimensions: usual });

        expect(asks.every(({ maxAnswerBytes }) => maxAnswerBytes! <= 9 * 1024 * 1024)).toBe(true);
      }),
    );
  });

  it('is refused if its vectors have too many numbers', () => {
    const most = { inputs: Array<string>(2_048).fill('one'), dimensions: 4_096 };

    expect(asked('openai-embeddings', most)).not.toHaveLength(0);
    expect(() => asked('openai-embeddings', { ...most, dimensions: 4_097 })).toThrow(
      expect.objectContaining({ status: 400, metadata: expect.objectContaining({ field: 'input' }) as object }),
    );
  });

  it('requests base64, which is smaller, whatever the client reads', () => {
    const asks = (['float', 'base64'] as const).map((encoding) =>
      asked('openai-embeddings', { encoding }, { base64: true }),
    );

    expect(asks.map(([ask]) => bodyOf(ask!)['encoding_format'])).toEqual(['base64', 'base64']);
  });

  it('has the field names and forms of the endpoint’s quirks', () => {
    const quirks = { dimensions_field: 'output_dimension', base64: true, takes_tokens: true } as const;
    const [ask] = asked('openai-embeddings', { inputs: [[1, 2]], dimensions: 256, encoding: 'base64' }, quirks);

    expect(bodyOf(ask!)).toMatchObject({ input: [[1, 2]], encoding_format: 'base64', output_dimension: 256 });
  });

  it.each([
    ['voyage', undefined, { truncation: false }],
    ['voyage', 'search_query', { truncation: false, input_type: 'query' }],
    ['nim', undefined, { truncate: 'NONE', input_type: 'passage' }],
    ['nim', 'search_query', { truncate: 'NONE', input_type: 'query' }],
  ] as const)('has the use of the vectors in the form %s: %s', (embeddings_form, inputType, fields) => {
    const [ask] = asked('openai-embeddings', { inputType }, { embeddings_form });

    expect(bodyOf(ask!)).toEqual({ model: 'embed-1', input: ['one', 'two'], encoding_format: 'float', ...fields });
  });

  it('is a batch of the Gemini API, each text with the settings', () => {
    const [ask] = asked('google-embeddings', { dimensions: 256, inputType: 'search_query' });

    const settings = { model: 'models/embed-1', taskType: 'RETRIEVAL_QUERY', outputDimensionality: 256 };
    expect(ask!.request.path).toBe('/models/embed-1:batchEmbedContents');
    expect(bodyOf(ask!)).toEqual({
      requests: ['one', 'two'].map((text) => ({ ...settings, content: { parts: [{ text }] } })),
    });
  });

  // https://ai.google.dev/gemini-api/docs/embeddings#task-types-embeddings-2
  it.each([
    [undefined, 'one'],
    ['search_query', 'task: search result | query: one'],
    ['search_document', 'title: none | text: one'],
    ['classification', 'task: classification | query: one'],
    ['clustering', 'task: clustering | query: one'],
    ['semantic_similarity', 'task: sentence similarity | query: one'],
  ] as const)('has the use of the vectors before each text for Gemini Embedding 2: %s', (inputType, text) => {
    const content = [{ type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } }];
    const both = { content: [...content, { type: 'text' as const, text: 'one' }] };
    const [ask] = asked('google-embeddings', { inputType, inputs: ['one', both] }, { use_as_text: true, ...images });

    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    expect(bodyOf(ask!)).toEqual({
      requests: [[{ text }], [{ inlineData }, { text }]].map((parts) => ({
        model: 'models/embed-1',
        content: { parts },
      })),
    });
  });

  it('has an input_type for Cohere, which requires it', () => {
    const [ask] = asked('cohere-embeddings', { dimensions: 256 });

    expect(ask!.request.path).toBe('/embed');
    expect(bodyOf(ask!)).toEqual({
      model: 'embed-1',
      texts: ['one', 'two'],
      input_type: 'search_document',
      embedding_types: ['float'],
      truncate: 'NONE',
      output_dimension: 256,
    });
  });

  it('has one text for Titan, so it is divided into one request per text', () => {
    const asks = asked('bedrock-titan-embeddings', { dimensions: 256 });

    expect(asks.map(bodyOf)).toEqual([
      { inputText: 'one', dimensions: 256 },
      { inputText: 'two', dimensions: 256 },
    ]);
    expect(asks[0]!.request.path).toBe('/model/embed-1/invoke');
  });

  it.each([
    ['tokens', 'openai-embeddings', { inputs: [[1]] }, 'input'],
    ['tokens', 'google-embeddings', { inputs: [[1]] }, 'input'],
    ['a use', 'openai-embeddings', { inputType: 'clustering' }, 'input_type'],
    ['an unsupported use', 'cohere-embeddings', { inputType: 'semantic_similarity' }, 'input_type'],
  ] as const)('with %s is refused on %s', (_what, wire, more, field) => {
    expect(() => asked(wire, more as Partial<EmbeddingTask>)).toThrow(
      expect.objectContaining({ status: 400, metadata: expect.objectContaining({ field }) as object }),
    );
  });

  it('has all texts in order, within the bounds of the endpoint, in as few requests as possible', () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 120 }), (inputs, count, bytes) => {
        const asks = asked('openai-embeddings', { inputs }, { max_inputs: count, max_request_bytes: bytes });

        const batches = asks.map((ask) => bodyOf(ask)['input'] as string[]);
        expect(batches.flat()).toEqual(inputs);
        for (const [index, batch] of batches.entries()) {
          const size = batch.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
          expect(batch.length).toBeLessThanOrEqual(count);
          if (batch.length > 1) expect(size).toBeLessThanOrEqual(bytes);
          const next = batches[index + 1];
          if (next) expect(batch.length === count || size + Buffer.byteLength(next[0]!) > bytes).toBe(true);
        }
      }),
    );
  });
});

describe('an answer with embeddings', () => {
  const base64 = Buffer.from(Float32Array.of(0.5, -2).buffer).toString('base64');

  it.each([
    ['openai-embeddings', { data: [{ embedding: [1, 2] }, { embedding: [3, 4] }] }],
    [
      'openai-embeddings',
      {
        data: [
          { index: 1, embedding: [3, 4] },
          { index: 0, embedding: [1, 2] },
        ],
      },
    ],
    ['google-embeddings', { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] }],
    [
      'cohere-embeddings',
      {
        embeddings: {
          float: [
            [1, 2],
            [3, 4],
          ],
        },
      },
    ],
    [
      'bedrock-cohere-embeddings',
      {
        embeddings: {
          float: [
            [1, 2],
            [3, 4],
          ],
        },
      },
    ],
  ] as const)('has a vector for each text, in their order: %s', async (wire, body) => {
    expect(await answered(wire, body)).toEqual([{ numbers: [1, 2] }, { numbers: [3, 4] }]);
  });

  it.each([
    ['nothing', null],
    ['one vector too few', { data: [{ embedding: [1] }] }],
    ['one vector too many', { data: [{ embedding: [1] }, { embedding: [1] }, { embedding: [1] }] }],
    ['null in the place of a vector', { data: [{ embedding: [1] }, { embedding: null }] }],
    ['null in a vector', { data: [{ embedding: [1] }, { embedding: [null] }] }],
    ['vectors of different lengths', { data: [{ embedding: [1] }, { embedding: [1, 2] }] }],
    ['base64 of half a number', { data: [{ embedding: 'AAAA' }, { embedding: 'AAAA' }] }],
    ['a text that is not base64', { data: [{ embedding: '????' }, { embedding: '????' }] }],
    ['numbers beyond 32-bit floats', { data: [{ embedding: [1] }, { embedding: [1e39] }] }],
    ['base64 of NaN', { data: [{ embedding: 'AADAfw==' }, { embedding: 'AADAfw==' }] }],
    ['empty vectors', { data: [{ embedding: [] }, { embedding: [] }] }],
  ])('is a failure of the provider with %s', async (_what, body) => {
    await expect(answered('openai-embeddings', body)).rejects.toMatchObject({ failure: 'malformed' });
  });

  it('is a failure of the provider with vectors of another length than requested', async () => {
    const body = { data: [{ embedding: [1, 2] }, { embedding: [3, 4] }] };

    await expect(answered('openai-embeddings', body, { dimensions: 3 })).rejects.toMatchObject({
      failure: 'malformed',
    });
  });

  it('is returned in the requested form, whatever form its provider has sent', async () => {
    const [vector] = await answered('openai-embeddings', { data: [{ embedding: base64 }] }, { inputs: ['one'] });

    expect(encodedVector(vector!, 'float')).toEqual([0.5, -2]);
    expect(encodedVector(vector!, 'base64')).toBe(base64);
    expect(encodedVector({ numbers: [0.5, -2] }, 'base64')).toBe(base64);
    expect(encodedVector({ numbers: [0.1, 1e-40] }, 'float')).toEqual([0.1, 1e-40]);
  });

  it.each([
    ['openai-embeddings', { usage: { prompt_tokens: 7, total_tokens: 7 } }, {}],
    ['openai-embeddings', { usage: { total_tokens: 7 } }, {}],
    ['openai-embeddings', { usage: { prompt_tokens: 0, total_tokens: 7 } }, {}],
    ['openai-embeddings', { usage: { prompt_tokens: '7', total_tokens: 7 } }, {}],
    ['openai-embeddings', { usage: { input_tokens: 7 } }, {}],
    ['openai-embeddings', { data: [{ usage: { prompt_tokens: 3 } }, { usage: { prompt_tokens: 4 } }] }, {}],
    ['google-embeddings', { usageMetadata: { promptTokenCount: 7 } }, {}],
    ['cohere-embeddings', { meta: { billed_units: { input_tokens: 7 } } }, {}],
    ['bedrock-titan-embeddings', { inputTextTokenCount: 7 }, {}],
    ['bedrock-cohere-embeddings', {}, { 'x-amzn-bedrock-input-token-count': '7' }],
  ] as const)('reports its tokens: %s', (wire, body, headers) => {
    expect(embeddingEngines[wire].readUsage(body, headers)).toEqual({ input_tokens: 7, output_tokens: 0 });
  });

  it.each([
    ['openai-embeddings', { usage: { prompt_tokens: '7' } }],
    ['openai-embeddings', { data: [{ usage: { prompt_tokens: 3 } }, {}] }],
    ['google-embeddings', {}],
    ['cohere-embeddings', { meta: null }],
    ['bedrock-titan-embeddings', {}],
  ] as const)('may omit its tokens: %s', (wire, body) => {
    expect(embeddingEngines[wire].readUsage(body, {})).toBeUndefined();
  });
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAA';
const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PNG}` } };
const caption = { type: 'text' as const, text: 'A fox' };
const inputs = [{ content: [caption, image] }, { content: [caption] }];
const images = { takes_images: true, max_image_tokens: 300 };

describe('a request for embeddings of images', () => {
  it.each<[string, EmbeddingsWireName, EmbeddingTask['inputs'], object[]]>([
    [
      'Cohere',
      'cohere-embeddings',
      inputs,
      [{ inputs: [{ content: [caption, image] }, { content: [{ ...caption }] }], input_type: 'search_document' }],
    ],
    [
      'Gemini',
      'google-embeddings',
      inputs,
      [
        {
          requests: [
            { content: { parts: [{ text: 'A fox' }, { inlineData: { mimeType: 'image/png', data: PNG } }] } },
            { content: { parts: [{ text: 'A fox' }] } },
          ],
        },
      ],
    ],
    [
      'Titan',
      'bedrock-titan-embeddings',
      [...inputs, { content: [image] }],
      [{ inputText: 'A fox', inputImage: PNG }, { inputText: 'A fox' }, { inputImage: PNG }],
    ],
    [
      'Voyage',
      'voyage-multimodal',
      [...inputs, 'plain'],
      [
        {
          model: 'embed-1',
          inputs: [
            { content: [caption, { type: 'image_base64', image_base64: image.image_url.url }] },
            { content: [caption] },
            { content: [{ type: 'text', text: 'plain' }] },
          ],
          truncation: false,
          output_encoding: 'base64',
        },
      ],
    ],
  ])('has the form of %s', (_name, wire, list, bodies) => {
    expect(asked(wire, { inputs: list }, images).map(bodyOf)).toMatchObject(bodies);
  });

  it('has a bound of its texts and images, whatever the size of the images', () => {
    const huge = { ...image, image_url: { url: `${image.image_url.url}${'A'.repeat(1_000_000)}` } };
    const bounds = (wire: EmbeddingsWireName) => asked(wire, { inputs: [{ content: [caption, huge] }] }, images)[0]!;

    expect(bounds('cohere-embeddings')).toMatchObject({
      promptTokens: 5 + 128 + 300,
      estimatedPrompt: { inputTokens: 2, imageInputTokens: 300 },
    });
    // On these wires, providers bill images or pixels.
    for (const wire of ['bedrock-titan-embeddings', 'voyage-multimodal'] as const) {
      expect(bounds(wire)).toMatchObject({
        promptTokens: 5 + 128,
        pieces: { pricedImages: { max: 1 }, imagePixels: { max: 2_000_000 } },
      });
    }
  });

  it('is divided if its images are too large together', () => {
    const large = { ...image, image_url: { url: `${image.image_url.url}${'A'.repeat(9 * 1024 * 1024)}` } };
    const asks = asked('voyage-multimodal', { inputs: [{ content: [large] }, { content: [large] }] }, images);

    expect(asks.map((ask) => ask.inputs)).toEqual([1, 1]);
  });

  it.each<EmbeddingsWireName>(['openai-embeddings', 'cohere-embeddings', 'bedrock-cohere-embeddings'])(
    'is refused by name over %s if the model takes only texts',
    (wire) => {
      expect(() => asked(wire, { inputs })).toThrow(/input: has an image, and this model takes only texts/);
      expect(() => asked(wire, { inputs: [{ content: [caption, caption] }] })).toThrow(/must have one text/);
    },
  );

  it('is a text without images, also for a model that takes only texts', () => {
    expect(bodyOf(asked('openai-embeddings', { inputs: [{ content: [caption] }] })[0]!)).toMatchObject({
      input: ['A fox'],
    });
  });

  it('has one text and one image at most for Titan, and known uses for Voyage', () => {
    const two = { inputs: [{ content: [image, image] }] };
    expect(() => asked('bedrock-titan-embeddings', two, images)).toThrow(/at most one text and one image/);
    expect(() => asked('voyage-multimodal', { inputs, inputType: 'clustering' }, images)).toThrow(/search_query/);
    expect(
      bodyOf(asked('voyage-multimodal', { inputs, inputType: 'search_query', dimensions: 256 }, images)[0]!),
    ).toMatchObject({ input_type: 'query', output_dimension: 256 });
  });
});

describe('an answer with embeddings of images', () => {
  it.each<[EmbeddingsWireName, unknown, object | undefined]>([
    [
      'cohere-embeddings',
      { meta: { billed_units: { input_tokens: 3, image_tokens: 258 } } },
      { input_tokens: 3, image_input_tokens: 258, output_tokens: 0 },
    ],
    [
      'cohere-embeddings',
      { meta: { billed_units: { image_tokens: 258 } } },
      { input_tokens: 0, image_input_tokens: 258, output_tokens: 0 },
    ],
    [
      'google-embeddings',
      {
        usageMetadata: {
          promptTokenCount: 261,
          promptTokenDetails: [
            { modality: 'TEXT', tokenCount: 3 },
            { modality: 'IMAGE', tokenCount: 258 },
          ],
        },
      },
      { input_tokens: 3, image_input_tokens: 258, output_tokens: 0 },
    ],
    [
      'voyage-multimodal',
      { usage: { text_tokens: 3, image_pixels: 50_000, total_tokens: 92 } },
      { input_tokens: 3, image_pixels: 50_000, output_tokens: 0 },
    ],
    ['voyage-multimodal', { usage: {} }, undefined],
  ])('over %s reports its usage, if it has any, in %j', (wire, body, usage) => {
    expect(embeddingEngines[wire].readUsage(body, {})).toEqual(usage);
  });

  it('has its vectors in the order of their indexes', async () => {
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ];
    expect(await answered('voyage-multimodal', { data })).toEqual([{ numbers: [1, 0] }, { numbers: [0, 1] }]);
  });
});
