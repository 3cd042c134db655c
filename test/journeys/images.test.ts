import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

interface Drawn {
  created: number;
  data: { b64_json: string; media_type?: string }[];
  usage: Record<string, unknown> & { cost?: number };
  error: { code: number; message: string; param: string; metadata: Record<string, unknown> };
}

const prompt = 'A fox in the snow';

async function draw(path: string, body: object = {}, key = gateway.key) {
  const request = { model: 'sandbox/painter', prompt, ...body };
  const response = await post(gateway, path, request, { 'x-api-key': key });
  const id = response.headers.get('x-generation-id')!;
  return { status: response.status, headers: response.headers, id, body: (await response.json()) as Drawn };
}

async function keyWith(settings: object): Promise<string> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'images', ...settings });
  return (body as { key: string }).key;
}

function sizeOfPng(base64: string): [width: number, height: number] {
  const bytes = Buffer.from(base64, 'base64');
  expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

const picture = async () => (await draw('/images', { size: '512x512' })).body.data[0]!.b64_json;

async function generationOfKey(hash: string): Promise<string | undefined> {
  const { body } = await manage(gateway, 'GET', '/generations?limit=100');
  const { data } = body as { data: { id: string; api_key_hash: string }[] };
  return data.find(({ api_key_hash }) => api_key_hash === hash)?.id;
}

const formOf = (files: Record<string, Blob[]>) => {
  const form = new FormData();
  form.set('model', 'sandbox/token-painter');
  form.set('prompt', prompt);
  form.set('n', '2');
  form.set('quality', 'low');
  for (const [name, blobs] of Object.entries(files)) for (const blob of blobs) form.append(name, blob, 'a.png');
  return form;
};
const send = async (form: FormData) => {
  const response = await fetch(`${gateway.baseUrl}/images/edits`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key },
    body: form,
  });
  return { status: response.status, body: (await response.json()) as Drawn };
};
const png = async () => new Blob([Buffer.from(await picture(), 'base64')], { type: 'image/png' });

describe('an image', () => {
  it('comes in OpenRouter’s shape, with its media type and its cost', async () => {
    const { status, body } = await draw('/images', { size: '1536x1024' });

    expect(status).toBe(200);
    expect(body).toEqual({
      created: expect.any(Number) as number,
      data: [{ b64_json: expect.any(String) as string, media_type: 'image/png' }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, output_images: 1, cost: 4 },
    });
    expect(sizeOfPng(body.data[0]!.b64_json)).toEqual([1536, 1024]);
  });

  it('comes in OpenAI’s shape, with tokens of text and images apart', async () => {
    const { body } = await draw('/images/generations', { model: 'sandbox/token-painter', quality: 'low', n: 2 });

    expect(body.data).toHaveLength(2);
    expect(body).toMatchObject({ quality: 'low', output_format: 'png' });
    expect(body.usage).toEqual({
      input_tokens: 5,
      input_tokens_details: { text_tokens: 5, image_tokens: 0 },
      output_tokens: 544,
      output_tokens_details: { text_tokens: 0, image_tokens: 544 },
      total_tokens: 549,
      output_images: 2,
      cost: expect.closeTo(5 * 0.0005 + 544 * 0.003, 12) as number,
    });
  });

  it('may be a JPEG', async () => {
    const { body } = await draw('/images', { output_format: 'jpeg' });

    expect(body.data[0]!.media_type).toBe('image/jpeg');
    expect(Buffer.from(body.data[0]!.b64_json, 'base64').subarray(0, 3).toString('hex')).toBe('ffd8ff');
  });

  it('needs several requests to a provider that draws fewer images per request', async () => {
    const { body, id } = await draw('/images', { n: 10, size: '512x512' });

    expect(body.data).toHaveLength(10);
    expect(body.usage.cost).toBe(20);
    await finalGeneration(gateway, id);
    const record = await manage(gateway, 'GET', `/generations/${id}`);
    const counts = [4, 4, 2].map((quantity) => ({
      units: [expect.objectContaining({ meter: 'output_image', quantity }) as object],
    }));
    expect(record.body).toMatchObject({
      data: {
        price_lines: expect.arrayContaining(counts.map((one) => expect.objectContaining(one) as object)) as object,
      },
    });
  });

  it.each([
    [{ aspect_ratio: '3:2' }, [1536, 1024]],
    [{ size: '1K', aspect_ratio: '2:3' }, [1024, 1536]],
    [{ resolution: '512' }, [512, 512]],
    [{ size: 'auto', quality: 'auto', background: 'auto' }, [1024, 1024]],
    [{ background: 'opaque', response_format: 'b64_json', stream: false }, [1024, 1024]],
  ])('has the size that %j requests', async (more, size) => {
    const { body } = await draw('/images', more);

    expect(sizeOfPng(body.data[0]!.b64_json)).toEqual(size);
  });

  it('may begin from pictures, which have a price of their own', async () => {
    const url = `data:image/png;base64,${await picture()}`;
    const references = [{ type: 'image_url', image_url: { url } }];

    const plain = await draw('/images', { input_references: references });
    const edited = await draw('/images/edits', { model: 'sandbox/token-painter', images: [{ image_url: url }] });

    expect(plain.body.usage.cost).toBe(5);
    expect(edited.body.usage).toMatchObject({ input_tokens_details: { text_tokens: 5, image_tokens: 194 } });
    expect(edited.body.usage.cost).toBeCloseTo(5 * 0.0005 + 194 * 0.0008 + 4160 * 0.003, 12);
  });
});

describe('the record of images', () => {
  it('proves the price by images', async () => {
    const { id } = await draw('/images', { n: 3, size: '512x512' });

    expect(await finalGeneration(gateway, id)).toMatchObject({
      api_type: 'image',
      model: 'sandbox/painter',
      total_cost: 6,
      finish_reason: 'stop',
      streamed: false,
      num_media_completion: 3,
    });
    const record = await manage(gateway, 'GET', `/generations/${id}`);
    expect(record.body).toMatchObject({
      data: { price_lines: [{ units: [{ meter: 'output_image', quantity: 3, price_rub: 2 }] }] },
    });
  });

  it('proves the price by tokens', async () => {
    const { id, body } = await draw('/images', { model: 'sandbox/token-painter', quality: 'medium' });

    const generation = await finalGeneration(gateway, id);
    expect(generation).toMatchObject({ total_cost: body.usage.cost, tokens_completion: 1056 });
    const record = await manage(gateway, 'GET', `/generations/${id}`);
    expect(record.body).toMatchObject({
      data: {
        price_lines: [
          {
            units: [
              { meter: 'input', quantity: 5 },
              { meter: 'image_output', quantity: 1056 },
            ],
          },
        ],
      },
    });
  });

  it('holds the price of its size', async () => {
    const estimate = await post(gateway, '/images/estimate', { model: 'sandbox/painter', prompt, size: '512x512' });
    const { data } = (await estimate.json()) as { data: { hold_rub: string } };
    expect(data.hold_rub).toBe('2');
  });

  it('is estimated at its bound if the provider reports no tokens', async () => {
    const request = { model: 'sandbox/token-painter', prompt: `${prompt}\n@sandbox usage=none`, quality: 'low' };
    const { id, headers } = await draw('/images', request);

    expect(headers.get('x-service-billing-status')).toBe('pending');
    expect(await finalGeneration(gateway, id)).toMatchObject({ tokens_completion: 400, estimated: true });
  });

  it('costs at most the hold if the provider reports absurd tokens', async () => {
    const request = { model: 'sandbox/token-painter', prompt: `${prompt}\n@sandbox usage=absurd`, quality: 'low' };
    const estimate = await post(gateway, '/images/estimate', request);
    const { data } = (await estimate.json()) as { data: { hold_rub: string } };
    const { id } = await draw('/images', request);

    const { total_cost: cost } = await finalGeneration(gateway, id);
    expect(cost).toBeLessThanOrEqual(Number(data.hold_rub));
    expect(cost).toBeGreaterThan(1);
  });
});

describe('an image that is not drawn', () => {
  it.each(['error=503', 'garbage', 'null', 'break'])('costs nothing, and has a status: %s', async (fault) => {
    const { status, id, body } = await draw('/images', { prompt: `${prompt}\n@sandbox ${fault}` });

    expect([502, 503, 529]).toContain(status);
    expect(body.error.message).toMatch(/\w/);
    expect(await finalGeneration(gateway, id)).toMatchObject({ api_type: 'image', total_cost: 0 });
  });

  it('is the client’s fault if the provider refuses its content', async () => {
    const { status, body } = await draw('/images/generations', { prompt: `${prompt}\n@sandbox refuse` });

    expect(status).toBe(400);
    expect(body.error.message).toContain('rejected by the safety system');
  });

  it('costs nothing if the client leaves', async () => {
    const { body } = await manage(gateway, 'POST', '/keys', { name: 'leaver' });
    const { key, data } = body as { key: string; data: { hash: string } };
    const left = fetch(`${gateway.baseUrl}/images`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/painter', prompt: `${prompt}\n@sandbox first=20000` }),
      signal: AbortSignal.timeout(2_000),
    });
    await expect(left).rejects.toThrow('timeout');

    await expect.poll(() => generationOfKey(data.hash)).toBeDefined();
    const id = (await generationOfKey(data.hash))!;
    expect(await finalGeneration(gateway, id)).toMatchObject({ total_cost: 0, ending: 'client_left' });
  });

  it('is refused with 402 if money is short', async () => {
    const key = await keyWith({ limit: 3 });
    const { status, body } = await draw('/images', {}, key);

    expect(status).toBe(402);
    expect(body.error.metadata).toMatchObject({ limit_source: 'key_limit', limit_rub: '3' });
  });
});

describe('a request for images', () => {
  it.each<[string, object, string]>([
    ['size', { size: 'large', aspect_ratio: '1:1' }, 'must look like 1024x1024'],
    ['size', { size: '333x333' }, '1024x1024, 512x512'],
    ['aspect_ratio', { aspect_ratio: '21:9' }, '1024x1024'],
    ['resolution', { resolution: '4K' }, '1024x1024'],
    ['resolution', { size: '1024x1024', resolution: '2K' }, 'must be 1K'],
    ['aspect_ratio', { size: '1024x1024', aspect_ratio: '3:2' }, 'must be 1:1'],
    ['output_format', { output_format: 'webp' }, 'png, jpeg'],
    ['background', { background: 'transparent' }, 'opaque'],
    ['n', { n: 11 }, '10'],
    ['response_format', { response_format: 'url' }, 'b64_json'],
    ['n', { stream: true, n: 2 }, 'must be 1'],
    ['partial_images', { partial_images: 2 }, 'must be 0 without "stream": true'],
    ['partial_images', { stream: true, partial_images: 4 }, '3'],
    ['svg', { svg: { model: 'x' } }, 'SVG'],
    ['images', { images: [{ image_url: 'https://example.org/a.png' }] }, 'POST /images/edits'],
    ['models', { models: ['sandbox/gpt'] }, 'model'],
    ...['image', 'image_url', 'image_urls', 'input_image', 'reference_images'].map(
      (field): [string, object, string] => [field, { [field]: 'https://example.org/a.png' }, 'input_references'],
    ),
    ['quality', { model: 'sandbox/token-painter', quality: 'premium' }, 'low, medium, high'],
  ])('is refused with 400 for %s: %j', async (field, more, words) => {
    const { status, body } = await draw('/images', more);

    expect(status).toBe(400);
    expect(body.error.param).toBe(field);
    expect(body.error.message).toContain(words);
  });

  it.each([['data:image/png;base64,iVBORw0KGgo='], { url: 'https://example.org/a.png' }, 'https://example.org/a.png'])(
    'is refused for a picture that JSON has in the field of a form: %j',
    async (image) => {
      const { status, body } = await draw('/images/edits', { image });

      expect(status).toBe(400);
      expect(body.error.message).toContain('in JSON, send "images"');
    },
  );

  it.each([
    ['data:image/png;base64,bm90IGEgcG5n', 'PNG, JPEG or WebP'],
    ['data:image/png,abc', 'base64'],
    ['http://169.254.169.254/latest', 'public internet'],
  ])('is refused for a picture at %s', async (url, words) => {
    const { status, body } = await draw('/images', { input_references: [{ type: 'image_url', image_url: { url } }] });

    expect(status).toBe(400);
    expect(body.error.param).toBe('input_references.0.image_url.url');
    expect(body.error.message).toContain(words);
  });

  it.each([
    ['standard', 'medium'],
    ['hd', 'high'],
  ])('accepts the quality %s of earlier models as %s', async (earlier, later) => {
    const costs = await Promise.all(
      [earlier, later].map(async (quality) => draw('/images', { model: 'sandbox/token-painter', quality })),
    );

    expect(costs.map(({ status }) => status)).toEqual([200, 200]);
    expect(costs[0]!.body.usage).toEqual(costs[1]!.body.usage);
  });

  it('leaves out compression that a PNG has not, and names it', async () => {
    const { status, headers } = await draw('/images', { output_compression: 80 });

    expect([status, headers.get('x-gateway-left-out')]).toEqual([200, 'output_compression']);
    expect(
      (await draw('/images', { output_compression: 80, output_format: 'jpeg' })).headers.get('x-gateway-left-out'),
    ).toBeNull();
  });

  it('omits and reports fields that only tune, and unknown fields', async () => {
    const body = {
      model: 'sandbox/token-painter',
      quality: 'low',
      seed: 7,
      moderation: 'low',
      style: 'vivid',
      user: 'a',
    };
    const { status, headers, id } = await draw('/images', body);

    expect([status, headers.get('x-gateway-left-out')]).toEqual([200, 'style, seed, moderation']);
    expect(await finalGeneration(gateway, id)).toMatchObject({ left_out: ['style', 'seed', 'moderation'] });
  });

  it('leaves out and names fields that only edits have, and is made from its pictures', async () => {
    const url = `data:image/png;base64,${await picture()}`;
    const references = [{ type: 'image_url', image_url: { url } }];
    const { status, headers, body } = await draw('/images', {
      input_references: references,
      image: null,
      input_fidelity: 'high',
    });

    expect([status, headers.get('x-gateway-left-out')]).toEqual([200, 'input_fidelity']);
    expect(body.usage.cost).toBe(5);
  });

  it('is refused if its prompt has sensitive data that the key blocks', async () => {
    const key = await keyWith({ sensitive_data: { enabled: true, action: 'block', categories: ['email'] } });
    const { status, body } = await draw('/images', { prompt: 'A card for ann@example.org' }, key);

    expect(status).toBe(400);
    expect(body.error.param).toBe('prompt');
  });

  it('needs a model that draws', async () => {
    const { status, body } = await draw('/images', { model: 'sandbox/gpt' });

    expect([status, body.error.message]).toEqual([400, expect.stringContaining('makes text, not image') as string]);
  });
});

describe('the models that draw images', () => {
  it('are listed with the parameters that each supports', async () => {
    const { data } = (await (await get(gateway, '/images/models')).json()) as { data: { id: string }[] };

    expect(data.find(({ id }) => id === 'sandbox/token-painter')).toMatchObject({
      supported_parameters: { quality: { type: 'enum', values: ['low', 'medium', 'high'] } },
      supports_streaming: true,
      endpoints: '/v1/images/models/sandbox/token-painter/endpoints',
    });
  });

  it('have endpoints with a price for each kind of image', async () => {
    const response = await get(gateway, '/images/models/sandbox/painter/endpoints');

    expect(await response.json()).toMatchObject({
      id: 'sandbox/painter',
      endpoints: [
        {
          provider_slug: 'sandbox-openai',
          pricing: [
            { billable: 'output_image', unit: 'image', variant: '512x512', cost_rub: '2', cost_usd: 2 },
            { billable: 'output_image', unit: 'image', cost_rub: '4', cost_usd: 4 },
            { billable: 'input_image', unit: 'image', cost_rub: '1', cost_usd: 1 },
          ],
        },
      ],
    });
  });

  it.each(['/images/models/sandbox/nothing/endpoints', '/images/models/sandbox/gpt/endpoints'])(
    'are the only ones with such endpoints: %s',
    async (path) => {
      expect((await get(gateway, path)).status).toBe(404);
    },
  );
});

describe('an edit by a form', () => {
  it.each(['image', 'image[]'])('takes files as %s, and a mask', async (name) => {
    const { status, body } = await send(formOf({ [name]: [await png(), await png()], mask: [await png()] }));

    expect(status).toBe(200);
    expect(body.data).toHaveLength(2);
    expect(body.usage).toMatchObject({ input_tokens_details: { text_tokens: 5, image_tokens: 388 } });
  });

  it('is refused without a picture, and with a file that is not a picture', async () => {
    const without = await send(formOf({}));
    const other = await send(formOf({ image: [new Blob(['text'])] }));

    expect([without.status, without.body.error.param]).toEqual([400, 'images']);
    expect([other.status, other.body.error.param]).toEqual([400, 'image.0']);
  });
});
