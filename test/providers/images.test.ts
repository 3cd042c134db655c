import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImageOptions } from '../../lambdas/catalog/image-options.ts';
import type { WireOf } from '../../lambdas/catalog/wires.ts';
import { wholeSend, type FollowUps, type Send, type StreamPart } from '../../lambdas/providers/batch-engine.ts';
import { UpstreamError } from '../../lambdas/providers/http/upstream-error.ts';
import type { ImageEvent, ImageFile, ImageTarget, ImageTask } from '../../lambdas/providers/images/codec.ts';
import { imageEngines } from '../../lambdas/providers/images/engines.ts';

type ImageWire = WireOf<'image'>;
const wires = Object.keys(imageEngines) as ImageWire[];

const options: ImageOptions = { output_formats: ['png', 'jpeg'], max_images: 4, max_references: 4 };
const target = (image: Partial<ImageOptions> = {}, quirks: ImageTarget['quirks'] = {}): ImageTarget => ({
  providerId: 'acme',
  upstreamModel: 'draw-1',
  maxOutputTokens: undefined,
  supportedParameters: ['seed'],
  image: { ...options, ...image },
  quirks,
});
const task = (more: Partial<ImageTask> = {}): ImageTask => ({ prompt: 'A fox', count: 1, pictures: [], ...more });

const sentBy = (wire: ImageWire, more: Partial<ImageTask>, at = target()) =>
  [...imageEngines[wire].batchRequests(task(more), at)].map(({ request: { path, body } }) => ({
    path,
    body: JSON.parse(String(body)) as object,
  }));

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
const JPEG = Buffer.from('ffd8ffe000104a46494600', 'hex').toString('base64');
const picture = { mediaType: 'image/png', base64: PNG };

const noFollowUps: FollowUps = {
  poll: () => Promise.reject(new UpstreamError('malformed', 'no job')),
  download: () => Promise.reject(new UpstreamError('broken', 'no file')),
};
const drawn = async (wire: ImageWire, body: unknown, more: Partial<ImageTask> = {}, followUps = noFollowUps) =>
  (await imageEngines[wire].answer(
    task(more),
    target(),
    wholeSend(() => Promise.resolve(body)),
    followUps,
  )) as ImageFile[];

describe('a request for images', () => {
  it.each<[string, ImageWire, Partial<ImageTask>, ImageTarget, object]>([
    [
      'OpenAI',
      'openai-images',
      { count: 2, size: '1024x1024', quality: 'low', output_format: 'jpeg' },
      target({ sizes: ['1024x1024'], qualities: ['low'] }),
      { model: 'draw-1', prompt: 'A fox', n: 2, size: '1024x1024', quality: 'low', output_format: 'jpeg' },
    ],
    [
      'xAI',
      'openai-images',
      { size: '2048x2048' },
      target(
        { aspect_ratios: ['1:1'], resolutions: ['1K', '2K'] },
        { response_format: 'b64_json', size_form: 'aspect_ratio' },
      ),
      { model: 'draw-1', prompt: 'A fox', n: 1, aspect_ratio: '1:1', resolution: '2k', response_format: 'b64_json' },
    ],
    [
      'Together',
      'openai-images',
      { aspect_ratio: '3:2' },
      target({ sizes: ['1024x1024', '1536x1024'] }, { response_format: 'base64', size_form: 'width_height' }),
      { model: 'draw-1', prompt: 'A fox', n: 1, width: 1536, height: 1024, response_format: 'base64' },
    ],
    [
      'Gemini',
      'gemini-images',
      { aspect_ratio: '16:9', size: '2K', pictures: [picture] },
      target({ aspect_ratios: ['16:9'], resolutions: ['2K'] }, { stores_requests: true }),
      {
        store: false,
        contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }, { text: 'A fox' }] }],
        generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
      },
    ],
    [
      'Imagen',
      'imagen',
      { count: 3, aspect_ratio: '4:3' },
      target({ aspect_ratios: ['4:3'] }),
      { instances: [{ prompt: 'A fox' }], parameters: { sampleCount: 3, aspectRatio: '4:3' } },
    ],
    [
      'Black Forest Labs',
      'bfl-images',
      { size: '1024x768', seed: 7, pictures: [picture, picture] },
      target({ sizes: ['1024x768'] }),
      { prompt: 'A fox', width: 1024, height: 768, seed: 7, input_image: PNG, input_image_2: PNG },
    ],
    [
      'Stability on Bedrock',
      'bedrock-stability',
      { output_format: 'png', aspect_ratio: '1:1' },
      target({ aspect_ratios: ['1:1'] }),
      { prompt: 'A fox', mode: 'text-to-image', aspect_ratio: '1:1', output_format: 'png' },
    ],
    [
      'Nova Canvas',
      'bedrock-nova-canvas',
      { count: 2, size: '512x512' },
      target({ sizes: ['512x512'], qualities: ['standard', 'premium'], prices: {} }),
      {
        taskType: 'TEXT_IMAGE',
        textToImageParams: { text: 'A fox' },
        imageGenerationConfig: { numberOfImages: 2, width: 512, height: 512, quality: 'standard' },
      },
    ],
    [
      'YandexART',
      'yandex-art',
      { aspect_ratio: '16:9', seed: 7 },
      target({ aspect_ratios: ['16:9'] }),
      {
        modelUri: 'draw-1',
        messages: [{ text: 'A fox', weight: '1' }],
        generationOptions: { mimeType: 'image/jpeg', seed: '7', aspectRatio: { widthRatio: '16', heightRatio: '9' } },
      },
    ],
  ])('has the form of %s', (_name, wire, more, at, body) => {
    expect(sentBy(wire, more, at)).toEqual([{ path: expect.stringMatching(/^\//) as string, body }]);
  });

  it('with pictures goes to the route for edits', () => {
    const [sent] = sentBy('openai-images', { pictures: [picture] });

    expect(sent).toMatchObject({
      path: '/images/edits',
      body: { images: [{ image_url: `data:image/png;base64,${PNG}` }] },
    });
  });

  it('is split if the provider draws fewer images per request, with different seeds', () => {
    expect(sentBy('openai-images', { count: 6, seed: 7 }).map(({ body }) => body)).toMatchObject([
      { n: 4, seed: 7 },
      { n: 2, seed: 8 },
    ]);
  });

  it('bounds tokens by the kind of image, and by the longest kind if the model decides', () => {
    const at = target({ qualities: ['low', 'high'], tokens: { low: 100, high: 900 } });
    const bound = (quality?: string) =>
      [...imageEngines['openai-images'].batchRequests(task({ quality, count: 2 }), at)][0];

    expect([bound('low')?.outputTokens, bound()?.outputTokens]).toEqual([200, 1_800]);
    expect(bound()?.promptTokens).toBeLessThan(1_000);
  });

  it('does not count the bytes of pictures as tokens', () => {
    const large = { mediaType: 'image/png', base64: PNG + 'A'.repeat(1_000_000) };
    const at = target({ tokens: { any: 100 }, reference_tokens: 2_000 });
    const [request] = imageEngines['openai-images'].batchRequests(task({ pictures: [large] }), at);

    expect(request?.promptTokens).toBeLessThan(3_000);
  });
});

describe('an answer with images', () => {
  it.each<[ImageWire, unknown, string[]]>([
    [
      'openai-images',
      { data: [{ b64_json: PNG }, { b64_json: `data:image/jpeg;base64,${JPEG}` }] },
      ['image/png', 'image/jpeg'],
    ],
    [
      'gemini-images',
      { candidates: [{ content: { parts: [{ text: 'Here' }, { inlineData: { data: PNG } }] } }] },
      ['image/png'],
    ],
    ['imagen', { predictions: [{ bytesBase64Encoded: PNG, mimeType: 'image/jpeg' }] }, ['image/png']],
    ['bedrock-stability', { images: [JPEG], seeds: [1], finish_reasons: [null] }, ['image/jpeg']],
    ['bedrock-nova-canvas', { images: [PNG, PNG] }, ['image/png', 'image/png']],
  ])('is read over %s, with the type of its bytes', async (wire, body, types) => {
    expect((await drawn(wire, body, { count: 2 })).slice(0, types.length).map(({ mediaType }) => mediaType)).toEqual(
      types,
    );
  });

  it('may have addresses, which are downloaded within a limit', async () => {
    const asked: [string, number][] = [];
    const download = (url: string, most: number) => {
      asked.push([url, most]);
      return Promise.resolve(Buffer.from(PNG, 'base64'));
    };
    const files = await drawn(
      'openai-images',
      { data: [{ url: 'https://files.example/a.png' }] },
      {},
      { ...noFollowUps, download },
    );

    expect(files).toEqual([picture]);
    expect(asked).toEqual([['https://files.example/a.png', 32 * 1024 * 1024]]);
  });

  it('of Black Forest Labs is polled at its own hosts, then downloaded', async () => {
    const states = [{ status: 'Pending' }, { status: 'Ready', result: { sample: 'https://delivery.bfl.ai/a.png' } }];
    const polled: unknown[] = [];
    const followUps = {
      poll: (...place: unknown[]) => (polled.push(place), Promise.resolve(states.shift())),
      download: () => Promise.resolve(Buffer.from(PNG, 'base64')),
    };
    const place = 'https://api.eu1.bfl.ai/v1/get_result?id=7';

    expect(await drawn('bfl-images', { id: '7', polling_url: place }, {}, followUps)).toEqual([picture]);
    expect(polled).toEqual([
      [place, 'bfl.ai'],
      [place, 'bfl.ai'],
    ]);
  });

  it('of YandexART is polled by the id of its operation', async () => {
    const states = [
      { id: 'op7', done: false },
      { id: 'op7', done: true, response: { image: JPEG } },
    ];
    const polled: unknown[] = [];
    const poll = (place: string) => (polled.push(place), Promise.resolve(states.shift()));

    expect(await drawn('yandex-art', { id: 'op7' }, {}, { ...noFollowUps, poll })).toMatchObject([
      { mediaType: 'image/jpeg' },
    ]);
    expect(polled).toEqual(['/operations/op7', '/operations/op7']);
  });

  it.each<[ImageWire, unknown, FollowUps['poll']?]>([
    ['gemini-images', { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }],
    ['gemini-images', { candidates: [{ finishReason: 'IMAGE_SAFETY' }] }],
    ['gemini-images', { candidates: [{ finishReason: 'MODEL_ARMOR' }] }],
    ['gemini-images', { promptFeedback: { blockReason: 'OTHER' } }],
    ['gemini-images', { candidates: [{ content: { parts: [{ text: 'No.' }] }, finishReason: 'STOP' }] }],
    ['gemini-images', { candidates: [{ content: { parts: [{ text: 'No.' }] }, finishReason: 'NO_IMAGE' }] }],
    ['openai-images', { data: [{ url: '', respect_moderation: false }] }],
    ['imagen', {}],
    ['imagen', { predictions: [{ raiFilteredReason: 'withheld' }] }],
    ['bedrock-stability', { finish_reasons: ['Filter reason: prompt'] }],
    ['bedrock-nova-canvas', { images: [], error: 'blocked by our content filters' }],
    ['bfl-images', { polling_url: 'https://api.bfl.ai/x' }, () => Promise.resolve({ status: 'Content Moderated' })],
    ['yandex-art', { id: 'op' }, () => Promise.resolve({ done: true, error: { code: 3 } })],
  ])('over %s may be a refusal of the content: %j', async (wire, body, poll = noFollowUps.poll) => {
    await expect(drawn(wire, body, {}, { ...noFollowUps, poll })).rejects.toMatchObject({ failure: 'refused' });
  });

  it.each<[string, ImageWire, unknown, FollowUps['poll']?]>([
    ['HTML in place of an image', 'openai-images', { data: [{ b64_json: Buffer.from('<html>').toString('base64') }] }],
    ['an image that is not base64', 'openai-images', { data: [{ b64_json: `${PNG.slice(0, -4)}****` }] }],
    ['more images than requested', 'openai-images', { data: [{ b64_json: PNG }, { b64_json: PNG }] }],
    ['an empty list', 'openai-images', { data: [] }],
    ['a GIF', 'imagen', { predictions: [{ bytesBase64Encoded: Buffer.from('GIF89a..........').toString('base64') }] }],
    ['the reason IMAGE_OTHER', 'gemini-images', { candidates: [{ finishReason: 'IMAGE_OTHER' }] }],
    ['the reason NO_IMAGE', 'gemini-images', { candidates: [{ finishReason: 'NO_IMAGE' }] }],
    [
      'text in thoughts only',
      'gemini-images',
      { candidates: [{ content: { parts: [{ text: 'No.', thought: true }] }, finishReason: 'STOP' }] },
    ],
    ['an empty image', 'openai-images', { data: [{ url: '', respect_moderation: true }] }],
    ['a job without an address', 'bfl-images', { id: '7' }],
    ['a job with a path', 'bfl-images', { polling_url: '/v1/get_result' }],
    [
      'a job that failed',
      'bfl-images',
      { polling_url: 'https://api.bfl.ai/x' },
      () => Promise.resolve({ status: 'Error' }),
    ],
    ['an operation with a path as id', 'yandex-art', { id: '../../keys' }],
    ['a state of no operation', 'yandex-art', { id: 'op' }, () => Promise.resolve(null)],
    ['an operation without an image', 'yandex-art', { id: 'op' }, () => Promise.resolve({ done: true })],
  ])('is refused if it has %s', async (_what, wire, body, poll = noFollowUps.poll) => {
    await expect(drawn(wire, body, {}, { ...noFollowUps, poll })).rejects.toMatchObject({ failure: 'malformed' });
  });

  it('is refused if an image is too large', async () => {
    const huge = PNG.slice(0, 20) + 'A'.repeat(45 * 1024 * 1024);
    await expect(drawn('openai-images', { data: [{ b64_json: huge }] })).rejects.toMatchObject({
      failure: 'too_large',
    });
  });

  it.each(wires)('over %s never fails by another error, whatever the provider sends', async (wire) => {
    const followUps = { ...noFollowUps, poll: () => Promise.resolve({ status: 'Error', done: true }) };
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (body) => {
        await drawn(wire, body, {}, followUps).catch((error: unknown) => {
          expect(error).toBeInstanceOf(UpstreamError);
        });
        expect(() => imageEngines[wire].readUsage(body, {}, target())).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });
});

describe('the usage of images', () => {
  const tokens = target({ tokens: { any: 9_000 } });
  const read = (wire: ImageWire, body: unknown, at = tokens) => imageEngines[wire].readUsage(body, {}, at);

  it('has tokens of pictures and of drawn images apart', () => {
    const usage = {
      input_tokens: 50,
      input_tokens_details: { text_tokens: 10, image_tokens: 40 },
      output_tokens: 300,
      output_tokens_details: { text_tokens: 20, image_tokens: 280 },
    };
    expect(read('openai-images', { data: [{ b64_json: PNG }], usage })).toEqual({
      output_images: 1,
      input_tokens: 10,
      image_input_tokens: 40,
      output_tokens: 300,
      output_tokens_details: { image_tokens: 280 },
    });
  });

  it('counts all output as images if the provider does not split it', () => {
    const usage = { input_tokens: 50, output_tokens: 300 };
    expect(read('openai-images', { data: [{ b64_json: PNG }], usage })).toMatchObject({
      output_tokens_details: { image_tokens: 300 },
    });
  });

  it('has the thinking, the images and the unusual price class of Gemini', () => {
    const usageMetadata = {
      promptTokenCount: 300,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 42 },
        { modality: 'IMAGE', tokenCount: 258 },
      ],
      candidatesTokenCount: 1_130,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
      thoughtsTokenCount: 200,
      serviceTier: 'priority',
    };
    const body = { candidates: [{ content: { parts: [{ inlineData: { data: PNG } }] } }], usageMetadata };
    expect(read('gemini-images', body)).toEqual({
      output_images: 1,
      input_tokens: 42,
      image_input_tokens: 258,
      output_tokens: 1_330,
      output_tokens_details: { thinking_tokens: 200, image_tokens: 1_120 },
      service_tier: 'priority',
    });
  });

  it('is absent if Gemini reports only thinking', () => {
    const usageMetadata = { promptTokenCount: 300, candidatesTokenCount: 0, thoughtsTokenCount: 200 };
    const body = { candidates: [{ content: { parts: [{ inlineData: { data: PNG } }] } }], usageMetadata };
    expect(read('gemini-images', body)).toBeUndefined();
  });

  it('is only the number of images if tokens have no price', () => {
    const body = { data: [{ b64_json: PNG }], usage: { input_tokens: 5, output_tokens: 10 } };
    expect(read('openai-images', body, target())).toEqual({ output_images: 1, input_tokens: 0, output_tokens: 0 });
  });

  it('is absent if tokens have a price and none are reported', () => {
    expect(read('openai-images', { data: [{ b64_json: PNG }] })).toBeUndefined();
    for (const output_tokens of [0, -5, Infinity]) {
      const usage = { input_tokens: 0, output_tokens };
      expect(read('openai-images', { data: [{ b64_json: PNG }], usage })).toBeUndefined();
    }
  });
});

/** Returns the partial images by their positions, the finished image, and the usage. */
async function streamed(body: string, partialImages = 2, at = target({ max_partial_images: 3, tokens: { any: 900 } })) {
  const parts: StreamPart<ImageEvent>[] = [];
  const send = wholeSend(() => Promise.reject(new TypeError('a whole answer was requested')));
  const open: Send['open'] = async (batchRequest, decode) => {
    const chunks = (async function* () {
      yield Buffer.from(body);
    })();
    for await (const part of decode({ headers: {}, body: chunks })) parts.push(part as StreamPart<ImageEvent>);
    return { parts: (async function* () {})(), batchRequest };
  };
  await imageEngines['openai-images'].answer(task({ partialImages }), at, Object.assign(send, { open }), noFollowUps);
  return parts;
}
const eventOf = (data: { type: string; [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const partialEvent = eventOf({ type: 'image_generation.partial_image', b64_json: PNG, partial_image_index: 0 });
const usage = { input_tokens: 5, output_tokens: 480, output_tokens_details: { image_tokens: 480 } };
const completedEvent = (more: object = { usage }) =>
  eventOf({ type: 'image_generation.completed', b64_json: JPEG, ...more });
const tokenUsage = {
  output_images: 1,
  input_tokens: 5,
  image_input_tokens: 0,
  output_tokens: 480,
  output_tokens_details: { image_tokens: 480 },
};

describe('a streamed image', () => {
  it('is requested as a stream if the endpoint sends partial images, and as a whole otherwise', () => {
    const at = target({ max_partial_images: 2 });

    expect(sentBy('openai-images', { partialImages: 3 }, at)[0]!.body).toMatchObject({
      stream: true,
      partial_images: 2,
    });
    for (const [partialImages, image] of [
      [0, { max_partial_images: 2 }],
      [3, {}],
    ] as const) {
      expect(sentBy('openai-images', { partialImages }, target(image))[0]!.body).not.toHaveProperty('stream');
    }
  });

  it('has a bound with the tokens of its partial images', () => {
    const at = target({ max_partial_images: 3, tokens: { any: 900 } });
    const [request] = imageEngines['openai-images'].batchRequests(task({ partialImages: 3 }), at);

    expect(request?.outputTokens).toBe(1_200);
    expect(request?.estimatedUsage).toMatchObject({ output_tokens: 1_200 });
  });

  it('has an estimate in which tokens of pictures have their own price', () => {
    const at = target({ reference_tokens: 500, max_references: 4, tokens: { any: 900 } });
    const picture = { mediaType: 'image/png', base64: 'iVBORw0KGgo=' };
    const [request] = imageEngines['openai-images'].batchRequests(task({ pictures: [picture, picture] }), at);

    expect(request?.estimatedPrompt).toMatchObject({ imageInputTokens: 1_000 });
  });

  it('comes after its partial images, with the usage', async () => {
    const parts = await streamed(partialEvent + partialEvent + completedEvent() + 'data: [DONE]\n\n');

    expect(parts).toEqual([
      { event: { file: picture, partialIndex: 0 } },
      { event: { file: picture, partialIndex: 1 } },
      { event: { file: { mediaType: 'image/jpeg', base64: JPEG } }, usage: tokenUsage },
    ]);
  });

  it('may come with fewer partial images, or as one document', async () => {
    expect(await streamed(completedEvent())).toHaveLength(1);
    const [part] = await streamed(JSON.stringify({ data: [{ b64_json: PNG }], usage }));
    expect(part).toMatchObject({ event: { file: picture }, usage: tokenUsage });
  });

  it('has no usage if tokens have a price and none are reported', async () => {
    expect(await streamed(completedEvent({}))).toEqual([
      { event: { file: { mediaType: 'image/jpeg', base64: JPEG } } },
    ]);
  });

  it('may be an edit', async () => {
    const events = (partialEvent + completedEvent()).replaceAll('image_generation', 'image_edit');
    expect(await streamed(events)).toHaveLength(2);
  });

  it('may end with an error that the provider states', async () => {
    const error = { type: 'error', error: { message: 'try later', code: 'server_error' } };
    expect(await streamed(partialEvent + eventOf(error))).toEqual([
      { event: { file: picture, partialIndex: 0 } },
      { error },
    ]);
  });

  it('may come after events of other types, which are ignored unless they state an error', async () => {
    const started = eventOf({ type: 'image_generation.in_progress', status: 'in_progress' });
    const failed = { type: 'image_generation.failed', error: { message: 'No image was made' } };

    expect(await streamed(started + partialEvent + eventOf({ type: 'keepalive' }) + completedEvent())).toHaveLength(2);
    expect(await streamed(started + eventOf(failed))).toEqual([{ error: failed }]);
  });

  it.each([
    ['broken', 'no finished image', partialEvent + 'data: [DONE]\n\n'],
    ['malformed', 'more partial images than requested', partialEvent.repeat(3) + completedEvent()],
    ['malformed', 'a partial image that is not an image', partialEvent.replaceAll(PNG, 'AAAA') + completedEvent()],
    ['malformed', 'an event that is not JSON', 'data: {"type":\n\n'],
    ['broken', 'nothing', ''],
  ])('is a failure (%s) with %s', async (failure, _what, body) => {
    await expect(streamed(body)).rejects.toMatchObject({ failure });
  });
});

describe('a stream from a provider that sends no partial images', () => {
  it('has the finished image alone', async () => {
    const answer = await imageEngines.imagen.answer(
      task({ partialImages: 2 }),
      target(),
      wholeSend(() => Promise.resolve({ predictions: [{ bytesBase64Encoded: PNG }] })),
      noFollowUps,
    );

    if (Array.isArray(answer)) throw new TypeError('The answer is not a stream');
    const parts: unknown[] = [];
    for await (const part of answer.parts) parts.push(part);
    expect(parts).toEqual([{ event: { file: picture } }]);
  });
});
