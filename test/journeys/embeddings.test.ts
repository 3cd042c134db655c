import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

interface Embedded {
  id: string;
  data: { index: number; embedding: number[] & string }[];
  usage: { prompt_tokens: number; cost?: number };
  error: { message: string; param: string };
}

async function embed(body: object, key = gateway.key) {
  const request = { model: 'sandbox/embedder', ...body };
  const response = await post(gateway, '/embeddings', request, { 'x-api-key': key });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Embedded };
}

async function keyWith(settings: object): Promise<string> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'embeddings', ...settings });
  return (body as { key: string }).key;
}

const closeness = (a: number[], b: number[]) => a.reduce((sum, number, index) => sum + number * b[index]!, 0);

describe('embeddings', () => {
  it('are similar for similar texts', async () => {
    const { body } = await embed({ input: ['my parcel is late', 'where is my parcel', 'quantum physics'] });

    const [late, where, physics] = body.data.map(({ embedding }) => embedding);
    expect(body.data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(closeness(late!, where!)).toBeGreaterThan(closeness(late!, physics!) + 0.2);
  });

  it('have the same numbers as floats and as base64, and the requested length', async () => {
    const floats = await embed({ input: 'parcel', dimensions: 8 });
    const encoded = await embed({ input: 'parcel', dimensions: 8, encoding_format: 'base64' });

    const bytes = Buffer.from(encoded.body.data[0]!.embedding, 'base64');
    const numbers = Array.from({ length: 8 }, (_, index) => bytes.readFloatLE(index * 4));
    expect(numbers).toEqual(floats.body.data[0]!.embedding);
  });

  it('have one generation with its price, for any number of requests', async () => {
    const input = Array.from({ length: 150 }, (_, index) => `text number ${index}`);

    const { body } = await embed({ input });

    const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    const generation = await finalGeneration(gateway, body.id);
    expect(body.data).toHaveLength(150);
    expect(body.usage).toEqual({
      prompt_tokens: tokens,
      total_tokens: tokens,
      cost: expect.closeTo(tokens * 0.00002, 12) as number,
    });
    expect(generation).toMatchObject({
      api_type: 'embeddings',
      tokens_prompt: tokens,
      tokens_completion: 0,
      total_cost: body.usage.cost,
      finish_reason: 'stop',
      streamed: false,
    });
  });

  it('have an estimated price if the provider reports no usage', async () => {
    const input = 'parcel\n@sandbox usage=none';
    const { body, headers } = await embed({ input });

    const generation = await finalGeneration(gateway, body.id);
    // Four bytes of the text count as a token.
    expect(generation['tokens_prompt']).toBe(Math.ceil(input.length / 4));
    expect(headers.get('x-service-billing-status')).toBe('pending');
    expect(body.usage).not.toHaveProperty('cost');
    expect(generation['total_cost']).toBeCloseTo(Math.ceil(input.length / 4) * 0.00002, 12);
  });

  it('cost nothing if the provider fails', async () => {
    const { status, headers } = await embed({ input: ['parcel\n@sandbox garbage', 'two'] });

    const generation = await finalGeneration(gateway, headers.get('x-generation-id')!);
    expect(status).toBe(502);
    expect(generation['total_cost']).toBe(0);
  });

  it('are held at the maximum length of each text, and refused if the limit has no room for that', async () => {
    // The estimated tokens of all texts together exceed the context length, which is the maximum of one text.
    const input = Array.from({ length: 1_000 }, (_, index) => `${index} ${'word '.repeat(200)}`);
    const key = await keyWith({ limit: 1 });

    const refused = await embed({ input }, key);
    const answered = await embed({ input: input.slice(0, 10) }, key);

    expect(refused.status).toBe(402);
    expect(answered.status).toBe(200);
  });

  it('are charged once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one' };

    const first = await post(gateway, '/embeddings', { model: 'sandbox/embedder', input: 'a' }, headers);
    const again = await post(gateway, '/embeddings', { model: 'sandbox/embedder', input: 'a' }, headers);

    expect([first.status, again.status]).toEqual([200, 409]);
  });

  it.each([
    [{ input: undefined }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: '' }, 'input'],
    [{ input: ['a', ''] }, 'input.1'],
    [{ input: ['a', [1]] }, 'input'],
    [{ input: [[1], []] }, 'input.1'],
    [{ input: [1, -1] }, 'input.1'],
    [{ input: Array.from({ length: 2_049 }, () => 'a') }, 'input'],
    [{ input: 'a', dimensions: 0 }, 'dimensions'],
    [{ input: 'a', encoding_format: 'hex' }, 'encoding_format'],
    [{ input: 'a', input_type: 'clustering' }, 'input_type'],
    [{ input: 'a', stream: true }, 'stream'],
    [{ input: 'a', output_dimension: 8 }, 'output_dimension'],
    [{ input: 'a', output_dtype: 'int8' }, 'output_dtype'],
    [{ input: 'a', embedding_type: 'base64' }, 'embedding_type'],
    [{ input: 'a', encoding_type: 'binary' }, 'encoding_type'],
    [{ input: 'a', models: ['sandbox/embedder'] }, 'models'],
    [{ input: 'a', model: 'sandbox/gpt' }, 'model'],
    [{ input: 'a', truncate: true, provider: { require_parameters: true } }, 'truncate'],
  ])('are refused with the name of the wrong field: $0', async (body, field) => {
    const { status, body: answer } = await embed(body);

    expect(status).toBe(400);
    expect(answer.error.param).toBe(field);
  });

  it('omit fields that the endpoint does not support, and report them', async () => {
    const { status, headers, body } = await embed({ input: 'a', truncate: 'END', newest_field: 1, other_field: null });

    expect([status, headers.get('x-gateway-left-out')]).toEqual([200, 'truncate, newest_field']);
    expect(await finalGeneration(gateway, body.id)).toMatchObject({ left_out: ['truncate', 'newest_field'] });
  });

  it('never send a protected value to a provider', async () => {
    const protecting = { enabled: true, action: 'replace', categories: ['email'] };
    const key = await keyWith({ sensitive_data: protecting });
    const blocking = await keyWith({ sensitive_data: { ...protecting, action: 'block' } });

    const plain = await embed({ input: 'ann@example.com' });
    const replaced = await embed({ input: 'ann@example.com' }, key);
    const blocked = await embed({ input: ['fine', 'ann@example.com'] }, blocking);
    const tokens = await embed({ input: [1, 2] }, key);

    expect(replaced.body.data[0]!.embedding).not.toEqual(plain.body.data[0]!.embedding);
    expect([blocked.status, blocked.body.error.param]).toEqual([400, 'input.1']);
    expect([tokens.status, tokens.body.error.param]).toEqual([400, 'input']);
  });
});
