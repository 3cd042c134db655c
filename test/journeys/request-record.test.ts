import { beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, said, type GatewayClient } from '../support/gateway.ts';
import { eventually } from '../support/eventually.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of any shape
type Answer = any;

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const managed = async (path: string): Promise<Answer> => (await get(gateway, path, gateway.managementKey)).json();
const record = async (id: string): Promise<Answer> => (await managed(`/generations/${id}`)).data;

async function created(path: string, body: object): Promise<Answer> {
  return (await post(gateway, path, body, { 'x-api-key': gateway.managementKey })).json();
}

async function answered(body: object, client = gateway): Promise<Answer> {
  const response = await post(client, '/messages', { max_tokens: 50, ...body });
  const { id } = (await response.json()) as { id: string };
  return finalGeneration(client, id);
}

describe('the record of a request', () => {
  it('has 0 search results without a search', async () => {
    const { num_search_results: results } = await answered({ model: 'sandbox/gpt', messages: [said('Hi', 'delay=0')] });

    expect(results).toBe(0);
  });

  it('has the calculation of its price: units, prices, and a sum that equals the charge', async () => {
    const { id } = await answered({ model: 'sandbox/claude', messages: [said('Hi', 'delay=0 tokens=20 cached=5')] });

    const { request, generation, price_lines, proven } = await record(id);

    const [line] = price_lines;
    const costs = line.units.map(({ price_rub, quantity, cost_rub }: Record<string, number>) => {
      expect(String(Money.parseNumber(String(price_rub)).times(quantity!))).toBe(String(cost_rub));
      return Money.parseNumber(String(cost_rub));
    });
    expect(line.units.map(({ meter }: { meter: string }) => meter)).toEqual(['input', 'cache_read', 'output']);
    expect(price_lines).toHaveLength(1);
    expect(Money.sum(costs).toString()).toBe(String(request.total_cost));
    expect([generation.total_cost, line.cost_rub, line.cut_rub, proven]).toEqual([
      request.total_cost,
      request.total_cost,
      0,
      true,
    ]);
  });

  it('has the endpoint, and the hold if there is a limit', async () => {
    const ask = { model: 'sandbox/claude', messages: [said('Hi', 'delay=0 tokens=5')] };
    const { key } = await created('/keys', { name: 'limited', limit: 100 });
    const [free, limited] = [await answered(ask), await answered(ask, { ...gateway, key })];

    const [unheld, held] = [await record(free.id), await record(limited.id)];

    expect(held.generation.provider_responses).toMatchObject([{ endpoint_id: 'sandbox/claude', status: 200 }]);
    expect(held.held_rub).toBeGreaterThan(held.generation.total_cost);
    expect(unheld.held_rub).toBeNull();
  });

  it('has the reason of a refusal', async () => {
    const response = await post(gateway, '/messages', {
      model: 'sandbox/claude',
      max_tokens: 'many',
      messages: [said('Hi')],
    });
    const id = response.headers.get('x-generation-id')!;

    const { request, generation, price_lines, held_rub } = await eventually(async () => {
      const found = await record(id);
      expect(found).toBeDefined();
      return found;
    });

    expect(request).toMatchObject({
      status: 'refused',
      refusal: { status: 400, error_type: 'invalid_request', field: 'max_tokens' },
    });
    expect([generation, price_lines, held_rub]).toEqual([null, [], null]);
  });

  it.each(['gen-01a1faa2-7c1f-7b9a-8f00-3d5c1a2b4c6d', 'nonsense'])('does not exist for %s', async (id) => {
    const response = await get(gateway, `/generations/${id}`, gateway.managementKey);

    expect(response.status).toBe(404);
  });
});

describe('the spending in the current periods', () => {
  it('of a workspace, its member and the account includes the cost of a request', async () => {
    const made = await created('/workspaces', { name: 'Sums', slug: 'sums' });
    await created('/workspaces/sums/members/add', { user_ids: ['ann'] });
    const { key } = await created('/keys', { name: 'sums', workspace_id: 'sums', member_id: 'ann' });
    const before = await managed('/credits');
    const { total_cost } = await answered(
      { model: 'sandbox/claude', messages: [said('Hi', 'delay=0')] },
      { ...gateway, key },
    );

    const workspace = (await managed(`/workspaces/${made.data.id}`)).data;
    const [member] = (await managed('/workspaces/sums/members')).data;
    const after = await managed('/credits');

    for (const { usage, usage_daily, usage_weekly, usage_monthly } of [workspace, member]) {
      expect([usage, usage_daily, usage_weekly, usage_monthly]).toEqual(Array(4).fill(total_cost));
    }
    const spent = Money.parseNumber(String(before.data.usage_daily)).plus(Money.parseNumber(String(total_cost)));
    expect(String(after.data.usage_daily)).toBe(spent.toString());
    expect(String(after.data.usage_monthly)).toBe(spent.toString());
  });
});
