import { OpenRouter } from '@openrouter/sdk';
import OpenAI, { APIError, APIUserAbortError, toFile } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';
import { cancelBeforeOutput, SLOW } from './cancelled-request.ts';

let gateway: GatewayClient;
let openrouter: OpenRouter;
let openai: OpenAI;
beforeAll(async () => {
  gateway = await commonGateway();
  openrouter = new OpenRouter({
    serverURL: gateway.baseUrl,
    apiKey: gateway.key,
    retryConfig: { strategy: 'none' as const },
  });
  openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});

const prompt = 'A fox in the snow';
const isPng = (base64 = '') => Buffer.from(base64, 'base64').subarray(1, 4).toString() === 'PNG';

describe('the OpenRouter SDK', () => {
  it('draws images', async () => {
    const drawn = await openrouter.images.generate({
      imageGenerationRequest: {
        model: 'sandbox/token-painter',
        prompt,
        n: 2,
        aspectRatio: '3:2',
        quality: 'low',
        outputFormat: 'png',
        provider: { only: ['sandbox-openai'] },
      },
    });

    expect(drawn).toMatchObject({
      data: [{ mediaType: 'image/png' }, { mediaType: 'image/png' }],
      usage: {
        promptTokens: 5,
        completionTokens: 544,
        totalTokens: 549,
        completionTokensDetails: { imageTokens: 544 },
      },
    });
    expect((drawn as { data: { b64Json: string }[] }).data.every(({ b64Json }) => isPng(b64Json))).toBe(true);
  });

  it('streams an image', async () => {
    const request = { model: 'sandbox/token-painter', quality: 'low' as const, stream: true };
    const events = async (text: string) => {
      const drawn = await openrouter.images.generate({ imageGenerationRequest: { ...request, prompt: text } });
      const read: { type: string; usage?: object | undefined }[] = [];
      for await (const event of drawn as AsyncIterable<{ type: string }>) read.push(event);
      return read;
    };

    expect(await events(prompt)).toMatchObject([
      { type: 'image_generation.completed', mediaType: 'image/png', usage: { completionTokens: 272 } },
    ]);
  });

  it('reads refusals', async () => {
    const wrong = { model: 'sandbox/painter', prompt, size: '7x7' };
    await expect(openrouter.images.generate({ imageGenerationRequest: wrong })).rejects.toMatchObject({
      statusCode: 400,
    });
  });

  it('lists models and their endpoints', async () => {
    const { data } = await openrouter.images.listModels();
    const { endpoints } = await openrouter.images.listModelEndpoints({ author: 'sandbox', slug: 'painter' });

    expect(data.map(({ id }) => id)).toContain('sandbox/painter');
    expect(endpoints[0]).toMatchObject({ providerSlug: 'sandbox-openai', supportsStreaming: false });
    expect(endpoints[0]!.pricing).toContainEqual({ billable: 'output_image', unit: 'image', costUsd: 4 });
  });
});

describe('the OpenAI SDK', () => {
  it('draws images', async () => {
    const drawn = await openai.images.generate({
      model: 'sandbox/token-painter',
      prompt,
      n: 2,
      size: '1024x1024',
      quality: 'low',
      response_format: 'b64_json',
    });

    expect(drawn.data!.map(({ b64_json }) => isPng(b64_json))).toEqual([true, true]);
    expect(drawn.usage).toMatchObject({ input_tokens: 5, output_tokens: 544, total_tokens: 549 });
  });

  it.each([
    [
      { quality: 'auto', background: 'auto', size: 'auto' },
      { quality: undefined, background: undefined, size: undefined },
      { quality: 'auto', background: 'auto', size: 'auto' },
    ],
    [
      { quality: 'hd', background: 'opaque', size: '1024x1024' },
      { quality: 'high', background: 'opaque', size: '1024x1024' },
      { quality: 'high', background: 'opaque', size: '1024x1024' },
    ],
  ] as const)('gets only settings that answers of OpenAI can have: %j', async (settings, expected, streamed) => {
    const request = { model: 'sandbox/painter', prompt, ...settings };
    const { quality, background, size } = await openai.images.generate(request);
    const events = [];
    for await (const event of await openai.images.generate({ ...request, stream: true })) events.push(event);

    expect({ quality, background, size }).toEqual(expected);
    expect(events.at(-1)).toMatchObject(streamed);
  });

  it('streams partial images of a new and of an edited image', async () => {
    const request = {
      model: 'sandbox/token-painter',
      prompt,
      quality: 'low',
      stream: true,
      partial_images: 2,
    } as const;
    const drawn = [];
    for await (const event of await openai.images.generate(request)) drawn.push(event);
    const image = await toFile(Buffer.from(drawn[0]!.b64_json, 'base64'), 'fox.png', { type: 'image/png' });
    const edited = [];
    for await (const event of await openai.images.edit({ ...request, image })) edited.push(event);

    expect(drawn.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(edited.map(({ type }) => type)).toEqual([
      'image_edit.partial_image',
      'image_edit.partial_image',
      'image_edit.completed',
    ]);
    expect([...drawn, ...edited].every(({ b64_json }) => isPng(b64_json))).toBe(true);
    expect(edited.at(-1)).toMatchObject({ usage: { output_tokens: 472, input_tokens_details: { image_tokens: 194 } } });
  });

  it('throws the error of a stream', async () => {
    const request = { model: 'sandbox/token-painter', stream: true, partial_images: 2 } as const;
    const failing = await openai.images.generate({ ...request, prompt: `${prompt}\n@sandbox break=1 delay=20` });
    const types: string[] = [];
    const read = async () => {
      for await (const { type } of failing) types.push(type);
    };

    await expect(read()).rejects.toBeInstanceOf(APIError);
    expect(types).toEqual(['image_generation.partial_image']);
  });

  it('edits images', async () => {
    const [first] = (await openai.images.generate({ model: 'sandbox/painter', prompt })).data!;
    const image = await toFile(Buffer.from(first!.b64_json!, 'base64'), 'fox.png', { type: 'image/png' });
    const edited = await openai.images.edit({
      model: 'sandbox/token-painter',
      prompt,
      image: [image, image],
      mask: image,
    });

    expect(isPng(edited.data![0]!.b64_json)).toBe(true);
    expect(edited.usage).toMatchObject({ input_tokens_details: { text_tokens: 5, image_tokens: 388 } });
  });

  it.each([
    [400, { model: 'sandbox/painter', prompt, size: '7x7' }],
    [400, { model: 'sandbox/painter', prompt, partial_images: 1 }],
    [400, { model: 'sandbox/painter', prompt: `${prompt}\n@sandbox refuse` }],
    [404, { model: 'sandbox/nothing', prompt }],
    [400, { model: 'sandbox/painter', prompt: 'x'.repeat(32_001) }],
  ])('reads a refusal with %i', async (status, body) => {
    const error = await openai.images.generate(body).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status });
  });

  it('can cancel a request, free of charge', async () => {
    const slow = { model: 'sandbox/painter', prompt: `${prompt}${SLOW}` };

    const error = await cancelBeforeOutput(gateway, (signal) => openai.images.generate(slow, { signal }));

    expect(error).toBeInstanceOf(APIUserAbortError);
  });
});
