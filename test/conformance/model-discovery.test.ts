import Anthropic from '@anthropic-ai/sdk';
import { OpenRouter } from '@openrouter/sdk';
import OldAnthropic from 'anthropic-sdk-0x';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type RunningGateway } from '../support/gateway.ts';

/** With these credentials, lists of callable models have several pages; no request is sent to the providers. */
const credentials = { ANTHROPIC_API_KEY: 'none', OPENAI_API_KEY: 'none' };

let gateway: RunningGateway;
let client: OpenRouter;
beforeAll(async () => {
  gateway = await startGateway({ env: credentials });
  client = new OpenRouter({ serverURL: gateway.baseUrl, retryConfig: { strategy: 'none' }, apiKey: gateway.key });
});
afterAll(() => gateway.stop());

const version = { 'anthropic-version': '2023-06-01' };

async function read(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.baseUrl}${path}`, { headers, redirect: 'error' });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function idsOf(path: string, headers?: Record<string, string>): Promise<string[]> {
  const { body } = await read(path, headers);
  return (body['data'] as { id: string }[]).map(({ id }) => id);
}

async function all<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of pages) items.push(item);
  return items;
}

const clients = {
  'SDK 1.x': () => new Anthropic({ baseURL: gateway.anthropicUrl, apiKey: gateway.key, maxRetries: 0 }),
  'SDK 0.x': () =>
    new OldAnthropic({ baseURL: gateway.anthropicUrl, apiKey: gateway.key, maxRetries: 0 }) as unknown as Anthropic,
};

describe.each(Object.keys(clients) as (keyof typeof clients)[])('Anthropic %s', (name) => {
  it('lists models in pages of twenty, the newest first', async () => {
    const page = await clients[name]().models.list();

    const times = page.data.map(({ created_at }) => Date.parse(created_at));
    expect(page).toMatchObject({ has_more: true, first_id: page.data[0]!.id, last_id: page.data[19]!.id });
    expect(page.data).toHaveLength(20);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it.each([1, 7, 1_000])('reads all pages of %i models, and finds each callable text model once', async (limit) => {
    const models = await all(clients[name]().models.list({ limit }));

    const { body } = await read('/models');
    const callable = (body['data'] as ListedModel[]).filter(
      ({ available, architecture }) => available && architecture.output_modalities.join() === 'text',
    );
    expect(models.length).toBeGreaterThan(20);
    expect(models.map(({ id }) => id).toSorted()).toEqual(callable.map(({ id }) => id).toSorted());
  });

  it('reads pages backwards', async () => {
    const whole = await clients[name]().models.list({ limit: 1_000 });
    const end = whole.data[5]!.id;

    const before = await all(clients[name]().models.list({ limit: 2, before_id: end }));

    // The pages go towards the start of the list.
    expect(before.map(({ id }) => id)).toEqual([3, 4, 1, 2, 0].map((index) => whole.data[index]!.id));
  });

  it('lists models through the beta API', async () => {
    const page = await clients[name]().beta.models.list({ limit: 3 });
    expect(page.data).toHaveLength(3);
  });

  it('reads a model by an id with a slash', async () => {
    const client = clients[name]();

    const model = await client.models.retrieve('sandbox/claude');

    expect(model).toMatchObject({
      id: 'sandbox/claude',
      type: 'model',
      display_name: 'Sandbox Claude',
      created_at: '2026-11-20T00:00:00Z',
      max_input_tokens: 200_000,
      max_tokens: 32_000,
      capabilities: { image_input: { supported: true }, pdf_input: { supported: true }, batch: { supported: false } },
      lifecycle: 'active',
      retires_at: null,
    });
    expect(await client.beta.models.retrieve('sandbox/claude')).toMatchObject({ id: 'sandbox/claude' });
  });

  it('finds the forms of thinking and the efforts that a model takes', async () => {
    const { capabilities } = await clients[name]().models.retrieve('sandbox/reasoner');
    const supported = { supported: true };

    expect(capabilities).toMatchObject({
      effort: { ...supported, low: supported, high: supported, xhigh: supported, max: supported },
      thinking: { ...supported, types: { adaptive: supported, enabled: supported, disabled: supported } },
    });
  });

  it('lists capabilities that are all booleans, as typed clients require', async () => {
    const models = await all(clients[name]().models.list({ limit: 1_000 }));

    const values = JSON.stringify(models).matchAll(/"supported":(\w+)/g);
    expect(new Set(Array.from(values, ([, value]) => value))).toEqual(new Set(['true', 'false']));
  });

  it('resolves an alias to the model that answers', async () => {
    const { id } = await clients[name]().models.retrieve('sandbox/claude-latest');
    expect(id).toBe('sandbox/claude');
  });

  it.each(['sandbox/nothing', 'sandbox/painter', '%2F'])(
    'gets an error for %s, which is not a model for messages',
    async (id) => {
      const error = await clients[name]()
        .models.retrieve(id)
        .catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(name === 'SDK 1.x' ? Anthropic.NotFoundError : OldAnthropic.NotFoundError);
      expect(error).toMatchObject({ status: 404, error: { type: 'error', error: { type: 'not_found_error' } } });
    },
  );

  it('finds no retired models', async () => {
    const client = clients[name]();
    expect((await client.models.list({ lifecycle: ['retired'] })).data).toEqual([]);
    expect((await client.models.list({ lifecycle: ['active', 'retired'] })).data).toHaveLength(20);
  });
});

interface ListedModel {
  id: string;
  available: boolean;
  architecture: { output_modalities: string[] };
}

describe('a client of the Messages API', () => {
  it.each([[{}], [version]])('discovers models as Claude Code does, with headers %j', async (headers) => {
    const { status, body } = await read('/models?limit=1000', headers);

    expect(status).toBe(200);
    expect(body['data']).toContainEqual(
      expect.objectContaining({ id: 'sandbox/claude', display_name: 'Sandbox Claude' }),
    );
  });

  it('filters and orders a list in the Messages API', async () => {
    const query = '/models?q=sandbox&input_modalities=file&sort=context-high-to-low&limit=2';
    expect((await read(query, version)).body).toMatchObject({
      data: [{ type: 'model' }, { type: 'model' }],
      has_more: true,
      last_id: expect.stringContaining('sandbox/') as string,
    });
  });

  it('gets only models that make text', async () => {
    expect(await idsOf('/models?output_modalities=all&q=sandbox/painter', version)).toEqual([]);
  });

  it('lists the models of its key', async () => {
    const { body } = await read('/models/user', { ...version, authorization: `Bearer ${gateway.key}` });
    expect(body).toMatchObject({ has_more: true, data: expect.any(Array) as unknown[] });
  });

  it('gets endpoints in the form of the public convention', async () => {
    expect((await read('/models/sandbox/claude/endpoints', version)).body).toMatchObject({
      data: { id: 'sandbox/claude', endpoints: [{ provider_name: 'Sandbox' }] },
    });
  });

  it.each([
    ['offset', '/models?offset=0', version],
    ['after_id', '/models?after_id=nobody/nothing', version],
    ['limit', '/models?limit=1001', version],
    ['after_id', '/models?after_id=sandbox/claude', {}],
    ['lifecycle', '/models?lifecycle=active', {}],
  ])('gets an error for a wrong %s: %s with %j', async (field, path, headers) => {
    const { status, body } = await read(path, headers);
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error', metadata: { field } } });
  });
});

describe('the OpenRouter SDK', () => {
  it('filters and orders models', async () => {
    const { result } = await client.models.list({
      q: 'claude',
      modelAuthors: 'anthropic',
      providers: 'Anthropic',
      supportedParameters: 'tools,reasoning',
      inputModalities: 'text,image',
      context: 500_000,
      minPrice: 0.01,
      maxPrice: 1e9,
      minAgeDays: 0,
      sort: 'pricing-low-to-high',
      offset: 0,
      limit: 500,
    });

    const prices = result.data.map(({ pricing }) => Number(pricing.prompt));
    expect(result.data.length).toBeGreaterThan(2);
    expect(result).toMatchObject({ totalCount: result.data.length, links: { next: null } });
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
  });

  it.each([7, 500])('reads a filtered list to its end in pages of %i', async (limit) => {
    const query = 'supported_parameters=tools&sort=newest';
    const pages = await all(
      await client.models.list({ supportedParameters: 'tools', sort: 'newest', offset: 0, limit }),
    );

    const walked = pages.flatMap(({ result }) => result.data.map(({ id }) => id));
    expect(walked.length).toBeGreaterThan(30);
    expect(walked).toEqual(await idsOf(`/models?${query}`));
  });

  it('filters embedding models, and lists the models of a key', async () => {
    expect(await idsOf('/embeddings/models?model_authors=sandbox')).toEqual(['sandbox/embedder', 'sandbox/viewer']);
    const { result } = await client.models.listForUser({ bearer: gateway.key }, {});
    expect(result.data.length).toBeGreaterThan(30);
  });

  it('leaves no model out if it orders models by speed', async () => {
    const all = await idsOf('/models');

    expect((await idsOf('/models?sort=throughput-high-to-low')).toSorted()).toEqual(all.toSorted());
  });

  it.each([
    [{ sort: 'most-popular' as const }, 'sort: the gateway does not measure'],
    [{ minCodingIndex: 1 }, 'min_coding_index: is not supported as a filter'],
  ])('gets an error for an unsupported filter or order: %j', async (query, message) => {
    await expect(client.models.list(query)).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining(message) as string,
    });
  });
});

describe('a link to the next page', () => {
  it('leads through the filtered list to its end', async () => {
    const path = '/models?q=sandbox&sort=newest&beta=true';
    const found = await idsOf(path);
    const walked: string[] = [];
    for (let next: string | null = `${path}&limit=2`; next !== null;) {
      const { body } = await read(next.replace(/^\/v1/, ''));
      walked.push(...(body['data'] as { id: string }[]).map(({ id }) => id));
      expect(body['total_count']).toBe(found.length);
      next = (body['links'] as { next: string | null }).next;
    }
    expect(found.length).toBeGreaterThan(2);
    expect(walked).toEqual(found);
  });
});
