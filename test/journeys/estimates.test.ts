import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { shortRecording } from '../support/client-api-bodies.ts';
import { admin } from '../support/admin.ts';
import { documentsOf } from '../support/documents.ts';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { eventually } from '../support/eventually.ts';

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-estimates-'));
  gateway = await startGateway({
    args: ['--data', directory],
    env: { CALLER_CACHE_MS: '1', HOLD_PATIENCE_MS: '200', OUTPUT_STEP_TOKENS: '400' },
  });
  await vocabularyIsLoaded();
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Limit {
  source: string;
  interval: string;
  limit_rub: string;
  remaining_rub: string;
  admits: boolean;
}

interface Estimate {
  input_tokens: number;
  hold_rub: string;
  admits: boolean;
  allowed_max_tokens: number | null;
  affordable_max_tokens: number | null;
  candidates: {
    model: string;
    provider_name: string;
    min_cost_rub: string;
    input_cost_rub: string;
    max_cost_rub: string;
  }[];
  excluded: { model: string; reason: string }[];
  limits: Limit[];
}

const TINY = Money.parse('0.000000000001');
const enough = '100000';

type FuzzedRequest = Record<'max_tokens' | 'words', number> & { model: string; limit: Money };

const question = { type: 'noul', instructions: 'Is the writer angry?' };
/** Requests of routes with an estimate, and the status of each response. */
const requests = {
  '/messages': [200, { model: 'sandbox/gpt', max_tokens: 100, messages: [said('Hello', 'delay=0')] }],
  '/chat/completions': [200, { model: 'sandbox/gpt', max_tokens: 100, messages: [said('Hello', 'delay=0')] }],
  '/responses': [200, { model: 'sandbox/gpt', max_output_tokens: 100, input: 'Hello @sandbox delay=0' }],
  '/decisions': [200, { model: 'sandbox/judge', state: 'Where is my parcel?', questions: { angry: question } }],
  '/embeddings': [200, { model: 'sandbox/embedder', input: ['Where is my parcel?', 'Late.'] }],
  '/images': [200, { model: 'sandbox/token-painter', prompt: 'A fox', quality: 'low' }],
  '/audio/speech': [200, { model: 'sandbox/speaker', input: 'Where is my parcel?' }],
  '/rerank': [200, { model: 'sandbox/ranker', query: 'parcel', documents: ['Where is my parcel?', 'Late.'] }],
  '/audio/transcriptions': [200, { model: 'sandbox/scribe', input_audio: { data: shortRecording } }],
  '/audio/translations': [200, { model: 'sandbox/scribe', input_audio: { data: shortRecording } }],
  '/videos': [202, { model: 'sandbox/filmmaker', prompt: 'A fox', duration: 5 }],
} as const;
const paths = Object.keys(requests) as (keyof typeof requests)[];
const routes = paths.map((path) => ({ path, status: requests[path][0], body: requests[path][1] as object }));

async function limitedTo(limitRub: Money | string, more: object = {}): Promise<RunningGateway> {
  const limit = String(limitRub);
  const text = JSON.stringify({ name: 'limited', ...more }).replace(/\}$/, `,"limit":${limit}}`);
  const { status, body } = await manage(gateway, 'POST', '/keys', text);
  expect([status, body]).toMatchObject([201, {}]);
  return { ...gateway, key: (body as { key: string }).key };
}

async function estimate(on: RunningGateway, path: string, body: object): Promise<Estimate> {
  const response = await post(on, `${path}/estimate`, body);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-generation-id')).toBeNull();
  return ((await response.json()) as { data: Estimate }).data;
}

/** Waits until the vocabulary of the tokenizer is loaded. Before, holds are computed from the bytes of prompts. */
async function vocabularyIsLoaded(): Promise<void> {
  const [, body] = requests['/messages'];
  const { hold_rub: held } = await estimate(gateway, '/messages', body);
  const tight = await limitedTo(Money.parse(held).minus(TINY));
  const isCounted = async () => {
    if (!(await estimate(tight, '/messages', body)).admits) throw new Error('The vocabulary is not loaded');
  };
  await eventually(isCounted, 500);
}

const nameOf = ({ pk, sk }: Record<string, unknown>) => `${String(pk)} ${String(sk)}`;
const errorIn = async (response: Response) => ((await response.json()) as { error: unknown }).error;

/** Returns the items of the table, without those of workers, which run each minute (measurements, alerts, days). */
async function items(): Promise<unknown[]> {
  const table = gateway.table();
  const { Items = [] } = await documentsOf(table).send(
    new ScanCommand({ TableName: table.name, ConsistentRead: true }),
  );
  const ofWorkers = ['HEALTH#', 'ALERTS#', 'ACTIVITY '];
  return Items.filter((item) => !ofWorkers.some((prefix) => nameOf(item).startsWith(prefix))).toSorted((a, b) =>
    nameOf(a).localeCompare(nameOf(b)),
  );
}

describe('the table after estimates', () => {
  it('is unchanged by estimates that admit, refuse and fail', async () => {
    const [rich, poor] = await Promise.all([limitedTo(enough), limitedTo('0.000001')]);
    const before = await items();

    for (const { path, body } of routes) {
      await estimate(rich, path, body);
      expect((await estimate(poor, path, body)).admits).toBe(false);
      await post(rich, `${path}/estimate`, { ...body, model: 'sandbox/nothing' });
      await post(rich, `${path}/estimate`, body, { 'idempotency-key': 'once' });
    }

    expect(await items()).toEqual(before);
  });
});

describe.each(routes)('an estimate of $path', ({ path, status, body }) => {
  it('has the held amount: exactly that amount admits the request', async () => {
    const roomy = await estimate(await limitedTo(enough), path, body);
    const tight = await limitedTo(Money.parse(roomy.hold_rub).minus(TINY));
    // The limit is lower than the bound that is computed from the prompt's bytes, so the gateway counts the prompt's
    // tokens.
    const counted = await estimate(tight, path, body);
    const exact = await limitedTo(counted.hold_rub);
    const short = await limitedTo(Money.parse(counted.hold_rub).minus(TINY));

    expect([roomy.admits, (await estimate(exact, path, body)).admits]).toEqual([true, true]);
    const refusing = await estimate(short, path, body);
    expect([refusing.admits, refusing.hold_rub]).toEqual([false, counted.hold_rub]);
    expect(refusing.limits.map(({ source, admits }) => [source, admits])).toContainEqual(['key_limit', false]);
    const refused = await post(short, path, body);
    const { error } = (await refused.json()) as { error: { metadata: Record<string, string> } };
    expect([refused.status, error.metadata['required_rub']]).toEqual([402, refusing.hold_rub]);
    expect((await post(exact, path, body)).status).toBe(status);
  });

  it('has the lowest and highest cost of each candidate, and the remaining amount of each limit', async () => {
    const key = await limitedTo(enough, { limit_reset: 'daily' });
    const { candidates, limits, hold_rub: held, input_tokens: tokens } = await estimate(key, path, body);

    const most = candidates.map(({ max_cost_rub: each }) => Money.parse(each));
    // The answer is shorter than the first step of a hold, so the hold equals the highest cost of the candidates.
    expect(Money.max(Money.zero, ...most).toString()).toBe(held);
    for (const { min_cost_rub: least, input_cost_rub: input, max_cost_rub: each } of candidates) {
      expect(Money.parse(least).exceeds(Money.parse(input))).toBe(false);
      expect(Money.parse(input).exceeds(Money.parse(each))).toBe(false);
      expect(Money.parse(input).isZero).toBe(false);
    }
    expect(tokens > 0).toBe(path !== '/videos');
    expect(limits).toContainEqual({
      source: 'key_limit',
      interval: 'daily',
      limit_rub: enough,
      remaining_rub: enough,
      admits: true,
    });
  });

  it('refuses the same requests as the route, with the same messages', async () => {
    const wrong: object[] = [{}, { ...body, model: 'sandbox/nothing' }, { ...body, model: 'sandbox/gpt:sideways' }];
    const kind = path === '/videos' ? 'sandbox/gpt' : 'sandbox/filmmaker';
    const wholeOnly = [
      '/audio/speech',
      '/audio/transcriptions',
      '/audio/translations',
      '/embeddings',
      '/images',
      '/rerank',
      '/videos',
    ];
    const only = wholeOnly.includes(path) ? ['nobody'] : ['openai'];
    wrong.push({ ...body, model: kind }, { ...body, provider: { only } }, { ...body, provider: { orders: [] } });
    for (const each of wrong) {
      const [estimated, asked] = await Promise.all([
        post(gateway, `${path}/estimate`, each),
        post(gateway, path, each),
      ]);
      expect([estimated.status, await errorIn(estimated)]).toEqual([asked.status, await errorIn(asked)]);
      expect(estimated.status).toBeGreaterThanOrEqual(400);
    }
  });

  it('needs the same kind of key as the route', async () => {
    const statuses = [gateway.managementKey, 'sk-mg-v1-nobody'].map(
      async (key) => (await post({ ...gateway, key }, `${path}/estimate`, body)).status,
    );
    expect(await Promise.all(statuses)).toEqual([403, 401]);
    expect((await fetch(`${gateway.baseUrl}${path}/estimate`, { method: 'POST' })).status).toBe(401);
  });
});

describe('an estimate', () => {
  it('has each limit of the payer, and the holds of requests in flight', async () => {
    const { body: made } = await manage(gateway, 'POST', '/workspaces', { name: 'Team', slug: 'team' });
    const { id } = (made as { data: { id: string } }).data;
    await manage(gateway, 'POST', `/workspaces/${id}/members/add`, { user_ids: ['ann'] });
    await manage(gateway, 'PUT', `/workspaces/${id}/budgets/daily`, { limit_rub: 100 });
    await manage(gateway, 'PUT', `/workspaces/${id}/budgets/monthly`, { limit_rub: 200 });
    await manage(gateway, 'PUT', `/workspaces/${id}/members/ann/budgets/weekly`, { limit_rub: 50 });
    const hers = await limitedTo('10', { workspace_id: id, member_id: 'ann' });
    const [, body] = requests['/messages'];
    const inFlight = { ...body, messages: [said('Slow', 'delay=200 tokens=20')] };
    const held = Money.parse((await estimate(hers, '/messages', inFlight)).hold_rub);

    const slow = post(hers, '/messages', inFlight);
    const left = async () => (await estimate(hers, '/messages', body)).limits;
    await expect
      .poll(async () => (await left()).find(({ source }) => source === 'key_limit'))
      .toMatchObject({
        remaining_rub: Money.parse('10').minus(held).toString(),
      });

    const told = (await left()).map(({ source, interval, limit_rub: limit }) => [source, interval, limit]);
    expect(told).toEqual(
      expect.arrayContaining([
        ['key_limit', 'lifetime', '10'],
        ['workspace_budget', 'daily', '100'],
        ['workspace_budget', 'monthly', '200'],
        ['member_budget', 'weekly', '50'],
      ]),
    );
    await slow;
  });

  it('names a free model for a client without money', async () => {
    const poor = await limitedTo('0.000001');
    const body = { ...requests['/messages'][1], models: ['sandbox/gpt:free'] };

    const told = await estimate(poor, '/messages', body);

    expect(told).toMatchObject({ admits: true, candidates: [{ model: 'sandbox/gpt:free', max_cost_rub: '0' }] });
    expect(told.excluded).toContainEqual(expect.objectContaining({ model: 'sandbox/gpt', reason: 'no_room' }));
    expect(((await (await post(poor, '/messages', body)).json()) as { model: string }).model).toBe('sandbox/gpt:free');
  });

  it('has the possible length of an answer with hidden thinking', async () => {
    const body = { model: 'sandbox/thinker', max_tokens: 30_000, messages: [said('Hard', 'hidden=10 delay=0')] };
    const limited = await limitedTo('20');

    const told = await estimate(limited, '/messages', body);

    expect(told.admits).toBe(true);
    expect(told.allowed_max_tokens).toBeLessThan(30_000);
    expect((await post(limited, '/messages', body)).status).toBe(200);
  });

  it('has the longest affordable answer, as the refusal of the request does', async () => {
    const [, body] = requests['/messages'];
    const { hold_rub: held } = await estimate(gateway, '/messages', body);
    const tight = await limitedTo(Money.parse(held).minus(TINY));
    const poor = await limitedTo((await estimate(tight, '/messages', body)).hold_rub);
    const longer = { ...body, max_tokens: 390 };

    const told = await estimate(poor, '/messages', longer);

    const refused = await post(poor, '/messages', longer);
    const { error } = (await refused.json()) as { error: { metadata: Record<string, unknown> } };
    expect([told.admits, refused.status]).toEqual([false, 402]);
    expect([told.affordable_max_tokens, error.metadata['affordable_max_tokens']]).toEqual([100, 100]);
    const affordable = { ...longer, max_tokens: told.affordable_max_tokens };
    expect(await estimate(poor, '/messages', affordable)).toMatchObject({ admits: true, affordable_max_tokens: null });
  });

  it('has the answer that all limits can afford, as the refusal does', async () => {
    const body = { ...requests['/messages'][1], max_tokens: 390 };
    const { hold_rub: held } = await estimate(gateway, '/messages', requests['/messages'][1]);
    const created = await manage(gateway, 'POST', '/workspaces', { name: 'Tight', slug: 'tight' });
    const { id } = (created.body as { data: { id: string } }).data;
    const limit_rub = Money.parse(held).minus(Money.parse('0.02')).toString();
    await manage(gateway, 'PUT', `/workspaces/${id}/budgets/daily`, { limit_rub });
    const poor = await limitedTo(held, { workspace_id: id });

    const { affordable_max_tokens: affordable } = await estimate(poor, '/messages', body);

    expect(affordable).toBeGreaterThan(0);
    const refused = (await errorIn(await post(poor, '/messages', body))) as { metadata: object };
    expect(refused.metadata).toMatchObject({
      limit_source: 'workspace_budget',
      affordable_max_tokens: affordable,
    });
    expect((await post(poor, '/messages', { ...body, max_tokens: affordable })).status).toBe(200);
  });

  it('includes the cost of a long answer beyond the first hold', async () => {
    const body = { ...requests['/messages'][1], max_tokens: 8_000 };
    const { candidates, hold_rub: held } = await estimate(gateway, '/messages', body);

    expect(Number(candidates[0]!.max_cost_rub)).toBeGreaterThan(4 * Number(held));
  });

  it('admits exactly the requests that are admitted, for any request and any limit', async () => {
    const asked = fc.record({
      model: fc.constantFrom('sandbox/gpt', 'sandbox/claude', 'sandbox/thinker', 'sandbox/gemini', 'sandbox/gpt:free'),
      max_tokens: fc.integer({ min: 1, max: 9_000 }),
      words: fc.constantFrom(1, 40, 700),
      limit: fc.integer({ min: 1, max: 4_000_000 }).map((micro) => Money.parse('0.000001').times(micro)),
    });
    const statuses = new Set<number>();
    const check = async ({ model, max_tokens, words, limit }: FuzzedRequest) => {
      const limited = await limitedTo(limit);
      const body = { model, max_tokens, messages: [said('слово '.repeat(words), 'delay=0 tokens=3 hidden=3')] };

      const { admits, limits } = await estimate(limited, '/messages', body);

      const { status } = await post(limited, '/messages', body);
      statuses.add(status);
      expect([admits, status]).toEqual([status === 200, admits ? 200 : 402]);
      if (!admits) expect(limits.every((each) => each.admits)).toBe(false);
    };
    await fc.assert(fc.asyncProperty(asked, check), { numRuns: 40 });
    expect(statuses).toEqual(new Set([200, 402]));
  });

  it('is refused for a suspended account, as the request is', async () => {
    await admin(directory, 'accounts', 'suspend', '--account', gateway.accountId, '--reason', 'Invoice 12 is not paid');
    for (const { path, body } of routes) {
      await expect.poll(async () => (await post(gateway, `${path}/estimate`, body)).status).toBe(403);
    }
  });
});
