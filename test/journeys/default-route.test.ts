import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

const dear = { prompt: '0.0004', completion: '0.0008' };
const cheap = { prompt: '0.0001', completion: '0.0002' };
const dearest = { provider: 'sandbox-anthropic', pricing: dear };

let catalog: CatalogDirectory;
let gateway: RunningGateway;
beforeAll(async () => {
  catalog = catalogDirectory([
    textModel('test/two-ways', [
      { provider: 'sandbox-openai', max_output_tokens: 5_000 },
      { provider: 'sandbox-anthropic', pricing: dear },
      { provider: 'sandbox-openai', pricing: cheap, max_output_tokens: 8_000 },
    ]),
    textModel('test/unlit', [{ provider: 'openai', pricing: cheap }, dearest]),
    textModel('test/ordered', [{ provider: 'sandbox-openai', pricing: cheap }, dearest], {
      routing: { order: ['sandbox-anthropic'] },
    }),
    textModel('test/ignoring', [{ provider: 'sandbox-openai', pricing: cheap }, dearest], {
      routing: { ignore: ['sandbox-openai'] },
    }),
  ]);
  gateway = await startGateway({ args: ['--catalog', catalog.path] });
});
afterAll(async () => {
  await gateway.stop();
  catalog.remove();
});

interface Shown {
  pricing: { prompt: string; completion: string };
  top_provider: { max_completion_tokens: number };
}

async function shown(path: string, key: string): Promise<Shown> {
  const { data } = (await (await get(gateway, path, key)).json()) as { data: Shown | Shown[] };
  return Array.isArray(data) ? data[0]! : data;
}

const micro = (price: string) => Math.round(Number(price) * 1e6);

/**
 * Returns the cost in the record, and a function that computes the cost at the prices of a catalog entry. Both costs
 * are in 10⁻⁶ RUB.
 */
async function charged(
  key: string,
  model = 'test/two-ways',
): Promise<{ endpoint: unknown; cost: unknown; expected: (of: Shown) => number }> {
  const answer = await post({ ...gateway, key }, '/messages', {
    model,
    messages: [said('Hello', 'delay=0 tokens=10')],
  });
  const { id } = (await answer.json()) as { id: string };
  const record = await finalGeneration({ ...gateway, key }, id);
  return {
    endpoint: record['provider_name'],
    cost: Math.round((record['total_cost'] as number) * 1e6),
    expected: ({ pricing }) =>
      (record['tokens_prompt'] as number) * micro(pricing.prompt) +
      (record['tokens_completion'] as number) * micro(pricing.completion),
  };
}

describe('a model with several endpoints', () => {
  it('shows the price that a request is charged, the cheapest', async () => {
    const model = await shown('/models/test/two-ways', gateway.key);
    const { endpoint, cost, expected } = await charged(gateway.key);
    expect(model).toMatchObject({ pricing: cheap, top_provider: { max_completion_tokens: 8_000 } });
    expect(endpoint).toBe('Sandbox Chat');
    expect(cost).toBe(expected(model));
  });

  it('shows a caller without access to the cheapest endpoint the price that this caller is charged', async () => {
    const { body } = await manage(gateway, 'POST', '/keys', {
      name: 'choosy',
      privacy: { ignoredProviders: ['sandbox-openai'] },
    });
    const model = await shown('/models/user', body.key);
    const { endpoint, cost, expected } = await charged(body.key);
    expect(model).toMatchObject({ pricing: dear, top_provider: { max_completion_tokens: 10_000 } });
    expect(endpoint).toBe('Sandbox');
    expect(cost).toBe(expected(model));
  });

  it('lists its endpoints in the order of attempts, those without a price last', async () => {
    const { data } = (await (await get(gateway, '/models/test/two-ways/endpoints')).json()) as {
      data: { endpoints: { endpoint_id: string }[] };
    };
    expect(data.endpoints.map(({ endpoint_id: id }) => id)).toEqual([
      'test/two-ways/2',
      'test/two-ways/1',
      'test/two-ways/0',
    ]);
  });

  it('does not exist for a caller whose only endpoint has no price', async () => {
    const { body } = await manage(gateway, 'POST', '/keys', {
      name: 'nothing left',
      privacy: { ignoredProviders: ['sandbox-anthropic', 'sandbox-openai', 'openai'] },
    });
    expect(await (await get(gateway, '/models/user', body.key)).json()).toMatchObject({ data: [], total_count: 0 });
  });
});

describe('the shown price of a model is that of the endpoint that answers', () => {
  it.each([
    ['if a cheaper one has no credential', 'test/unlit'],
    ['if the catalog names another first', 'test/ordered'],
    ['if the catalog excludes a cheaper one', 'test/ignoring'],
  ])('%s', async (_, id) => {
    const one = await shown(`/models/${id}`, gateway.key);
    const list = (await (await get(gateway, '/models')).json()) as { data: (Shown & { id: string })[] };
    const { endpoint, cost, expected } = await charged(gateway.key, id);
    expect(endpoint).toBe('Sandbox');
    expect(cost).toBe(expected(one));
    expect(list.data.find((model) => model.id === id)!.pricing).toEqual(dear);
  });

  it('is that of the first endpoint in the order of attempts', async () => {
    const response = await get(gateway, '/models/test/unlit/endpoints');
    const { data } = (await response.json()) as { data: { endpoints: { provider_name: string }[] } };
    expect(data.endpoints.map(({ provider_name: name }) => name)).toEqual(['Sandbox', 'OpenAI']);
  });
});
