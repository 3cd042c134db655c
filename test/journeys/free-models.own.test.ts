import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { readBudget } from '../../lambdas/store/counters/service-budgets.ts';
import { adminJson } from '../support/admin.ts';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const terms = {
  daily_base: 50,
  daily_funded: 400,
  base_ip_daily: 1_000,
  rpm: 1_000,
  funded_balance_threshold_rub: '100',
  funded_topup_threshold_rub: '500',
  daily_budget_rub: '1000',
  input_token_limit: 200,
  output_token_limit: 64,
};
const free = { prompt: '0', completion: '0' };
const serviceCost = { prompt: '0.0001', completion: '0.001' };

const freeModel = (id: string, more: Partial<typeof terms> = {}, endpoint: object = {}) =>
  textModel(
    id,
    [{ provider: 'sandbox-openai', upstream_model: 'gpt', pricing: free, service_cost: serviceCost, ...endpoint }],
    { service_free: { ...terms, ...more }, supported_parameters: ['max_tokens'] },
  );

let catalog: CatalogDirectory;
let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  catalog = catalogDirectory([
    freeModel('test/plain:free'),
    freeModel('test/slow:free', { rpm: 3 }),
    // Each part of the budget pays for one request of full size.
    freeModel('test/poor:free', { daily_budget_rub: '2', daily_base: 300 }),
    freeModel('test/near:free', { base_ip_daily: 1 }),
    textModel('test/paid', [
      { provider: 'sandbox-openai', upstream_model: 'gpt', pricing: { prompt: '0.001', completion: '0.002' } },
    ]),
  ]);
  directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  gateway = await startGateway({
    args: ['--data', directory, '--catalog', catalog.path],
    env: { CALLER_CACHE_MS: '200' },
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
  catalog.remove();
});

/** Returns a client of a new account with or without a payment. */
async function newcomer(topUp?: string): Promise<RunningGateway & { account: string }> {
  const { id } = await adminJson(directory, 'accounts', 'create', '--name', 'new', '--mode', 'prepaid');
  const account = id as string;
  if (topUp) await adminJson(directory, '--account', account, 'accounts', 'top-up', '--amount', topUp);
  const { key } = await adminJson(directory, '--account', account, 'keys', 'create', '--name', 'test');
  return { ...gateway, key: key as string, account };
}

const ask = (on: RunningGateway, model: string, more: object = {}, directives = 'delay=0') =>
  post(on, '/messages', { model, max_tokens: 20, messages: [said('Hello', directives)], ...more });

/** Sends a request with forged headers about the network address. */
const withForged = (on: RunningGateway, number: number) =>
  post(
    on,
    '/messages',
    { model: 'test/near:free', max_tokens: 20, messages: [said('Hello', 'delay=0')] },
    {
      'x-forwarded-for': `198.51.100.${number}`,
      'x-real-ip': `198.51.100.${number}`,
      forwarded: `for=198.51.100.${number}`,
    },
  );

const estimate = async (on: RunningGateway, model: string, more: object = {}) => {
  const body = { model, max_tokens: 20, messages: [said('Hello', 'delay=0')], ...more };
  const response = await post(on, '/messages/estimate', body);
  return ((await response.json()) as { data: Estimate }).data;
};

interface Estimate {
  admits: boolean;
  candidates: { model: string }[];
  excluded: { model: string; reason: string }[];
  free_limits: { source: string; admits: boolean; remaining_requests?: number }[];
}

const keyInfo = async (on: RunningGateway) =>
  ((await (await get(on, '/key')).json()) as { data: Record<string, unknown> }).data;

const modelInfo = async (id: string) =>
  ((await (await get(gateway, `/models/${id}`)).json()) as { data: Record<string, Record<string, unknown>> }).data;

async function until(check: () => Promise<boolean>, timeoutMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`Not so within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const currentMinute = () => Math.floor(Date.now() / 60_000);

describe('a free model', () => {
  it('answers an account without payments, and costs its client nothing', async () => {
    const account = await newcomer();

    const response = await ask(account, 'test/plain:free');

    expect(response.status).toBe(200);
    const { id, usage } = (await response.json()) as { id: string; usage: { cost: number } };
    expect(usage.cost).toBe(0);
    expect(await finalGeneration(account, id)).toMatchObject({ model: 'test/plain:free', total_cost: 0, usage: 0 });
  });

  it('has its limits in the catalog', async () => {
    const { service_free } = await modelInfo('test/plain:free');

    expect(service_free).toEqual({ ...terms, temporarily_capacity_limited: false });
  });

  it('shows the requests of an account today', async () => {
    const account = await newcomer();
    await ask(account, 'test/plain:free');

    const { free_model_daily_requests, is_free_tier } = await keyInfo(account);

    expect(free_model_daily_requests).toEqual({ limit: 300, remaining: 299, used: 1 });
    expect(is_free_tier).toBe(true);
  });

  it('admits exactly as many of 200 concurrent requests as the account may send', async () => {
    const account = await newcomer();

    const responses = await Promise.all(Array.from({ length: 200 }, () => ask(account, 'test/plain:free')));

    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => status === 429)).toHaveLength(150);
    expect(await keyInfo(account)).toMatchObject({ free_model_daily_requests: { used: 50 } });
  });

  it('refuses with the limit and the time of its reset', async () => {
    const account = await newcomer();
    const answers = [];
    for (let sent = 0; sent < 4; sent += 1) answers.push(await ask(account, 'test/slow:free'));

    const refusal = answers.find(({ status }) => status === 429)!;

    expect(refusal.headers.get('x-ratelimit-limit')).toBe('3');
    expect(refusal.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(refusal.headers.get('x-ratelimit-reset')) % 60_000).toBe(0);
    expect(Number(refusal.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(await refusal.json()).toMatchObject({
      error: { type: 'rate_limit_error', code: 429, metadata: { limit_source: 'free_requests_per_minute' } },
    });
  });

  it('has a higher limit for an account with payments', async () => {
    const account = await newcomer('500');

    expect(await keyInfo(account)).toMatchObject({
      is_free_tier: false,
      free_model_daily_requests: { limit: 400, used: 0 },
    });
  });

  it('refuses a prompt above its limit, with the name of the field', async () => {
    const response = await ask(gateway, 'test/plain:free', { messages: [said('word '.repeat(400))] });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { metadata: { field: 'messages', input_token_limit: 200 } } });
  });

  it('writes at most its output limit, whatever is requested', async () => {
    const response = await ask(gateway, 'test/plain:free', { max_tokens: 5_000 }, 'delay=0 tokens=2000');

    const { stop_reason, usage } = (await response.json()) as { stop_reason: string; usage: { output_tokens: number } };
    expect(stop_reason).toBe('max_tokens');
    expect(usage.output_tokens).toBeLessThanOrEqual(64);
  });

  it('is followed by a model with a price if it may not answer', async () => {
    // The limit applies to a minute, so requests of two minutes prove nothing.
    for (let isInOneMinute = false; !isInOneMinute;) {
      const begunIn = currentMinute();
      const account = await newcomer('200');
      await Promise.all(Array.from({ length: 3 }, () => ask(account, 'test/slow:free')));
      const limited = await ask(account, 'test/slow:free');
      const response = await ask(account, 'test/slow:free', { models: ['test/paid'] });
      const { model } = (await response.json()) as { model: string };
      isInOneMinute = currentMinute() === begunIn;
      if (isInOneMinute) expect([limited.status, response.status, model]).toEqual([429, 200, 'test/paid']);
    }
  });
});

describe('a request with free and paid models', () => {
  it('is answered by the free model if the account has no money', async () => {
    const response = await ask(await newcomer(), 'test/paid', { models: ['test/plain:free'] });

    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ model: 'test/plain:free', usage: { cost: 0 } });
  });
});

describe('an estimate of a free model', () => {
  it('has the remaining amount of each of its limits, and uses none of it', async () => {
    const account = await newcomer();
    await ask(account, 'test/plain:free');

    const [first, second] = [await estimate(account, 'test/plain:free'), await estimate(account, 'test/plain:free')];

    expect(first).toMatchObject({ admits: true, candidates: [{ model: 'test/plain:free' }] });
    const limit = { model: 'test/plain:free', admits: true };
    expect(first.free_limits).toEqual([
      expect.objectContaining({ ...limit, source: 'free_daily_requests', limit_requests: 50, remaining_requests: 49 }),
      expect.objectContaining({ ...limit, source: 'free_daily_requests_of_address', limit_requests: 1_000 }),
      expect.objectContaining({ ...limit, source: 'free_requests_per_minute', limit_requests: 1_000 }),
      // The remaining budget would reveal the usage of other accounts.
      { ...limit, source: 'free_daily_budget', resets_at: expect.any(String) as string },
    ]);
    expect(second.free_limits.map((each) => each.remaining_requests)[0]).toBe(49);
    expect(await keyInfo(account)).toMatchObject({ free_model_daily_requests: { used: 1 } });
  });

  it('has no remaining request if the request is answered with 429', async () => {
    const account = await newcomer();
    await Promise.all(Array.from({ length: 51 }, () => ask(account, 'test/plain:free')));

    const told = await estimate(account, 'test/plain:free');

    expect(told.admits).toBe(false);
    expect(told.free_limits.filter(({ admits }) => !admits)).toMatchObject([
      { source: 'free_daily_requests', remaining_requests: 0 },
    ]);
    expect((await ask(account, 'test/plain:free')).status).toBe(429);
  });

  it('uses a model with a price if the free one may not answer, as the request does', async () => {
    const account = await newcomer('50');
    await Promise.all(Array.from({ length: 51 }, () => ask(account, 'test/plain:free')));

    const told = await estimate(account, 'test/plain:free', { models: ['test/paid'] });

    expect(told).toMatchObject({ admits: true, candidates: [{ model: 'test/paid' }] });
    expect(told.excluded).toContainEqual(expect.objectContaining({ model: 'test/plain:free', reason: 'free_limit' }));
    expect(told.free_limits[0]).toMatchObject({ source: 'free_daily_requests', admits: false });
  });
});

describe('a request to a free model without an answer', () => {
  it('is not counted if the provider failed before any output', async () => {
    const account = await newcomer();

    const response = await ask(account, 'test/plain:free', {}, 'error=500');

    expect(response.status).toBeGreaterThanOrEqual(500);
    await until(async () => ((await keyInfo(account))['free_model_daily_requests'] as { used: number }).used === 0);
  });

  it('is not counted if it is refused before its hold', async () => {
    const account = await newcomer();

    await ask(account, 'test/plain:free', { messages: [said('word '.repeat(400))] });

    expect(await keyInfo(account)).toMatchObject({ free_model_daily_requests: { used: 0 } });
  });
});

describe('an account without funding', () => {
  it('is counted by the address of its connection, together with others there, whatever its headers', async () => {
    const [first, second] = [await newcomer(), await newcomer()];
    await ask(first, 'test/plain:free');

    const answers = [await withForged(first, 1), await withForged(second, 2)];

    expect(answers.map(({ status }) => status)).toEqual([429, 429]);
    expect(await answers[0]!.json()).toMatchObject({
      error: { metadata: { limit_source: 'free_daily_requests_of_address', limit: 1 } },
    });
  });

  it('is no longer counted by its address after it is funded', async () => {
    const response = await withForged(await newcomer('500'), 3);

    expect(response.status).toBe(200);
  });

  it('is refused by a limit of 0 of its key', async () => {
    const { account } = await newcomer();
    const { key } = await adminJson(directory, '--account', account, 'keys', 'create', '--name', 'off', '--limit', '0');

    const response = await ask({ ...gateway, key: key as string }, 'test/plain:free');

    expect(response.status).toBe(402);
  });
});

async function spent(): Promise<Money> {
  const parts = await readBudget(gateway.table(), utcDate(Date.now()), 'test/poor:free');
  return Money.sum(parts.map((part) => part.spent));
}

describe('the budget of a free model', () => {
  it('is never overspent, and the catalog shows when it is spent', async () => {
    const answers: Response[] = [];
    // Each part pays for one request of full size, and then for a few smaller requests.
    while (!answers.some(({ status }) => status === 429) && answers.length < 300) {
      answers.push(
        ...(await Promise.all(Array.from({ length: 40 }, () => ask(gateway, 'test/poor:free', {}, 'delay=0')))),
      );
    }

    const refused = answers.find(({ status }) => status === 429)!;
    expect(await refused.json()).toMatchObject({ error: { metadata: { limit_source: 'free_daily_budget' } } });
    await until(
      async () => (await modelInfo('test/poor:free'))['service_free']!['temporarily_capacity_limited'] === true,
    );
    // Held amounts count as well, so the test waits for settlements.
    await until(async () => !(await spent()).isZero);
    expect((await spent()).exceeds(Money.parse('2'))).toBe(false);
  });

  it('is shown to the operator', async () => {
    const rows = (await adminJson(directory, 'free-models')) as unknown as { model: string; spent_rub: string }[];

    const { spent_rub: spent } = rows.find(({ model }) => model === 'test/poor:free')!;
    expect(Number(spent)).toBeGreaterThan(0);
    expect(Number(spent)).toBeLessThanOrEqual(2);
  });
});
