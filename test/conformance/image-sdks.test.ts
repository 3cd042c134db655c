import { OpenRouter } from '@openrouter/sdk';
import OpenAI, { APIError, toFile } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';

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
    [400, { model: 'sandbox/painter', prompt, stream: true as const }],
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

  it('may cancel a request', async () => {
    const slow = { model: 'sandbox/painter', prompt: `${prompt}\n@sandbox first=20000` };
    await expect(openai.images.generate(slow, { signal: AbortSignal.timeout(1_000) })).rejects.toThrow('abort');
  });
});
