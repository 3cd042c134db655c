/** Embeddings of images, with input in the form of OpenRouter's API. */

import { OpenRouter } from '@openrouter/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
let fox: string;
let owl: string;
beforeAll(async () => {
  gateway = await commonGateway();
  [fox, owl] = await Promise.all([drawn('fox'), drawn('owl')]);
});

/** Draws an image of 512 × 512 pixels. */
async function drawn(prompt: string): Promise<string> {
  const response = await post(gateway, '/images', { model: 'sandbox/painter', prompt, size: '512x512' });
  const { data } = (await response.json()) as { data: [{ b64_json: string }] };
  return `data:image/png;base64,${data[0].b64_json}`;
}

interface Embedded {
  id: string;
  data: { embedding: number[] }[];
  usage: Record<string, number>;
  error: { message: string; param: string };
}

async function embed(input: unknown, more: object = {}, key = gateway.key) {
  const response = await post(
    gateway,
    '/embeddings',
    { model: 'sandbox/viewer', input, ...more },
    { 'x-api-key': key },
  );
  return { status: response.status, body: (await response.json()) as Embedded };
}

const PIXELS = 512 * 512;
const imagePart = (url: string) => ({ type: 'image_url', image_url: { url } });
const textPart = (text: string) => ({ type: 'text', text });
const content = (...parts: object[]) => ({ content: parts });
const closeness = (a: number[], b: number[]) => a.reduce((sum, number, index) => sum + number * b[index]!, 0);

describe('an image', () => {
  it('has a vector that differs from the vectors of other images', async () => {
    const { status, body } = await embed([content(imagePart(fox)), content(imagePart(fox)), content(imagePart(owl))]);

    expect(status).toBe(200);
    const [first, same, other] = body.data.map(({ embedding }) => embedding);
    expect(closeness(first!, same!)).toBeCloseTo(1, 5);
    expect(closeness(first!, other!)).toBeLessThan(0.9);
  });

  it('has one vector together with its text, and a price by pixel', async () => {
    const { body } = await embed([content(textPart('a red fox'), imagePart(fox))]);

    expect(body.data).toHaveLength(1);
    const cost = 3 * 0.00002 + PIXELS * 0.000001;
    expect(body.usage).toEqual({
      prompt_tokens: 3,
      total_tokens: 3,
      image_pixels: PIXELS,
      cost: expect.closeTo(cost, 12) as number,
    });
    expect(await finalGeneration(gateway, body.id)).toMatchObject({
      api_type: 'embeddings',
      total_cost: expect.closeTo(cost, 12) as number,
    });
    const record = await manage(gateway, 'GET', `/generations/${body.id}`);
    expect(record.body).toMatchObject({
      data: {
        price_lines: [
          {
            units: [
              { meter: 'input', quantity: 3 },
              { meter: 'pixel', quantity: PIXELS },
            ],
          },
        ],
      },
    });
  });

  it('costs the maximum number of pixels if the provider reports no usage', async () => {
    const { body } = await embed([content(textPart('@sandbox usage=none'), imagePart(fox))]);

    expect(await finalGeneration(gateway, body.id)).toMatchObject({
      total_cost: expect.closeTo(5 * 0.00002 + 2_000_000 * 0.000001, 12) as number,
    });
  });

  it('is held with the maximum number of pixels', async () => {
    const body = { model: 'sandbox/viewer', input: [content(imagePart(fox))] };
    const { data } = (await (await post(gateway, '/embeddings/estimate', body)).json()) as {
      data: { hold_rub: string };
    };

    expect(Number(data.hold_rub)).toBeCloseTo(2_000_000 * 0.000001 + 128 * 0.00002, 6);
  });

  it('is embedded next to texts that a key protects', async () => {
    const settings = { enabled: true, categories: ['email'], action: 'block' };
    const { body: made } = await manage(gateway, 'POST', '/keys', { name: 'images', sensitive_data: settings });
    const { key } = made as { key: string };

    const harmless = await embed([content(textPart('a fox'), imagePart(fox))], {}, key);
    const secret = await embed([content(imagePart(fox), textPart('ann@example.org'))], {}, key);
    const secretText = await embed('ann@example.org', {}, key);

    expect(harmless.status).toBe(200);
    expect([secret.status, secret.body.error.param]).toEqual([400, 'input.0.content.1.text']);
    expect([secretText.status, secretText.body.error.param]).toEqual([400, 'input']);
  });

  it.each<[string, unknown, object, RegExp]>([
    ['input', () => [content(imagePart(fox))], { model: 'sandbox/embedder' }, /takes only texts/],
    ['input', () => [content(imagePart(fox)), 'text'], {}, /./],
    ['input', () => Array.from({ length: 65 }, () => content(imagePart(fox))), {}, /at most 64 images/],
    ['input', () => [content({ type: 'input_audio', input_audio: {} })], {}, /text or image_url/],
    ['input', () => [content()], {}, /./],
    ['input.0.content.0.image_url.url', () => [content(imagePart('http://169.254.169.254/a'))], {}, /public internet/],
    ['input.0.content.0.image_url.url', () => [content(imagePart('data:image/png;base64,AAAA'))], {}, /PNG, JPEG/],
  ])('is refused by name: %s', async (field, input, more, words) => {
    const { status, body } = await embed((input as () => unknown)(), more);

    expect(status).toBe(400);
    expect(body.error.param.startsWith(field)).toBe(true);
    expect(body.error.message).toMatch(words);
  });

  it('is embedded by the OpenRouter SDK', async () => {
    const sdk = new OpenRouter({ serverURL: gateway.baseUrl, apiKey: gateway.key });
    const answer = await sdk.embeddings.generate({
      requestBody: {
        model: 'sandbox/viewer',
        input: [
          {
            content: [
              { type: 'text', text: 'fox' },
              { type: 'image_url', imageUrl: { url: fox } },
            ],
          },
        ],
      },
    });

    expect(answer).toMatchObject({ data: [{ index: 0 }], usage: { promptTokens: 1 } });
  });

  it('is an input modality of models that embed images', async () => {
    const { data } = (await (await get(gateway, '/embeddings/models')).json()) as {
      data: { id: string; architecture: { input_modalities: string[] } }[];
    };
    const viewing = data.filter(({ architecture }) => architecture.input_modalities.includes('image'));
    expect(viewing.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['cohere/embed-v4.0', 'voyageai/voyage-multimodal-3.5', 'google/gemini-embedding-2']),
    );
  });
});
