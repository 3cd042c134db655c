import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { utcDate } from '../../lambdas/money/periods.ts';
import { generationTimeMs, uuidv7 } from '../../lambdas/platform/ids.ts';
import type { Route } from '../../lambdas/route.ts';
import { routes } from '../../lambdas/routes.ts';
import { queryPartition } from '../../lambdas/store/table/query.ts';
import { writeRefusal } from '../../lambdas/store/generations/refusals.ts';
import { adminHere } from '../support/admin.ts';
import { manage } from '../support/manage.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { eventually } from '../support/eventually.ts';

type Row = Record<string, unknown>;

const DAY_MS = 24 * 60 * 60_000;
const SECRET = 'the password is hunter2';

let directory: string;
let gateway: RunningGateway;
/** Client with a member's key that can spend one rouble. */
let poor: RunningGateway;
let poorHash: string;
/** Client with another such key, because only some refusals of a key per second are recorded. */
let otherPoor: RunningGateway;

const admin = (...args: string[]) => adminHere(directory, ...args);
const json = async (...args: string[]): Promise<unknown> => JSON.parse((await admin('--json', ...args)).out);
const listed = async (...args: string[]) => (await json('generations', 'list', ...args)) as Row[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-refused-'));
  gateway = await startGateway({ args: ['--data', directory] });
  await json('members', 'add', '--member', 'ivan');
  const made = (await json('keys', 'create', '--name', 'poor', '--limit', '1', '--member', 'ivan')) as Row;
  poor = { ...gateway, key: made['key'] as string };
  poorHash = made['hash'] as string;
  const other = (await json('keys', 'create', '--name', 'other', '--limit', '1')) as Row;
  otherPoor = { ...gateway, key: other['key'] as string };
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Refused {
  status: number;
  id: string;
  requestId: string;
}

async function refused(client: RunningGateway, body: object, path = '/messages'): Promise<Refused> {
  const response = await post(client, path, body);
  await response.text();
  const { headers, status } = response;
  return { status, id: headers.get('x-generation-id')!, requestId: headers.get('request-id')! };
}

const tooDear = { model: 'sandbox/claude', max_tokens: 30_000, messages: [said(SECRET)] };
const wrongField = { model: 'sandbox/claude', max_tokens: 'many', messages: [said(SECRET)] };

/** Returns the recorded refusal. It is recorded concurrently with the response, so the function retries. */
async function explained(client: RunningGateway, id: string): Promise<{ message: string; refusal: Row }> {
  return eventually(async () => {
    const response = await get(client, `/generation?id=${id}`);
    const { error } = (await response.json()) as { error: { message: string; metadata: { refusal?: Row } } };
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([404, 'false']);
    return { message: error.message, refusal: error.metadata.refusal! };
  });
}

describe('a refused request without an inference key', () => {
  const inferring = Object.values<Route>(routes).filter(({ inference }) => inference === true);

  it.each(inferring.map(({ method, paths: [path] }) => [method, path]))('has an id: %s %s', async (method, path) => {
    const clients = [`sk-mg-v1-${'1'.repeat(64)}`, '', gateway.managementKey];
    const answers = await Promise.all(
      clients.map((key) => fetch(`${gateway.baseUrl}${path}`, { method, headers: { 'x-api-key': key } })),
    );

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403]);
    for (const { headers } of answers) {
      expect(headers.get('x-generation-id')).toMatch(/^gen-/);
      expect(headers.get('request-id')).toMatch(/^req_/);
    }
  });
});

describe('a refused request', () => {
  it.each<[string, () => RunningGateway, object, string, Row]>([
    ['for want of money', () => poor, tooDear, '/messages', { status: 402, limit_source: 'key_limit', field: null }],
    [
      'for a wrong field',
      () => poor,
      wrongField,
      '/messages',
      { status: 400, field: 'max_tokens', model: 'sandbox/claude' },
    ],
    ['for an unknown model', () => poor, { ...tooDear, model: 'no/model' }, '/messages', { model: 'no/model' }],
    [
      'for want of money in chat completions',
      () => otherPoor,
      tooDear,
      '/chat/completions',
      { status: 402, model: 'sandbox/claude' },
    ],
    [
      'for want of money in responses',
      () => otherPoor,
      { model: 'sandbox/claude', max_output_tokens: 30_000, input: SECRET },
      '/responses',
      { status: 402, model: 'sandbox/claude' },
    ],
    ['for decisions', () => poor, { model: 'sandbox/claude' }, '/decisions', { status: 400 }],
    ['for a video', () => poor, { model: 'sandbox/claude', prompt: 'x' }, '/videos', { status: 400, field: 'model' }],
  ])('%s is found by its id, with its reason', async (_why, client, body, path, reason) => {
    const { status, id } = await refused(client(), body, path);

    const { message, refusal } = await explained(client(), id);

    expect(message).toContain(`${id} with ${status}`);
    expect(refusal).toMatchObject({ status, ...reason });
    expect(Date.parse(refusal['created_at'] as string)).toBe(generationTimeMs(id));
  });

  it('keeps the amounts of its limit, whatever the limit is later', async () => {
    const response = await post(poor, '/messages', tooDear);
    const { error } = (await response.json()) as { error: { metadata: Row } };
    const id = response.headers.get('x-generation-id')!;
    const { interval, limit_rub, spend_rub, held_rub, remaining_rub, required_rub } = error.metadata;
    const told = { interval, limit_rub, spend_rub, held_rub, remaining_rub, required_rub };
    expect(Object.values(told)).not.toContain(undefined);
    await explained(poor, id);

    await manage(gateway, 'PATCH', `/keys/${poorHash}`, { limit: 2 });
    const { refusal } = await explained(poor, id);
    const { body } = await manage(gateway, 'GET', `/generations/${id}`);
    await manage(gateway, 'PATCH', `/keys/${poorHash}`, { limit: 1 });

    expect(refusal['amounts']).toEqual(told);
    expect(body.data.request.refusal.amounts).toEqual(told);
    const { interval: limit_interval, ...amounts } = told;
    expect(await json('generations', 'show', id)).toMatchObject({ limit_interval, ...amounts });
  });

  it('for another reason has no amounts', async () => {
    const { id } = await refused(poor, wrongField);

    expect((await explained(poor, id)).refusal).toMatchObject({ limit_source: null, amounts: null });
  });

  it('is hidden from callers without access', async () => {
    const { id } = await refused(gateway, wrongField);
    await explained(gateway, id);

    const response = await get(poor, `/generation?id=${id}`);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('was not found, or') } });
  });

  it('is shown to the operator by either of its ids', async () => {
    const { id, requestId } = await refused(poor, tooDear);
    await explained(poor, id);

    const shown = await json('generations', 'show', id);

    expect(shown).toMatchObject({
      id,
      route: 'create-message',
      status: 402,
      error_type: 'payment_required',
      limit_source: 'key_limit',
      model: 'sandbox/claude',
      cost_rub: '0',
      key_hash: poorHash,
      member_id: 'ivan',
    });
    expect(await json('generations', 'show', requestId)).toEqual(shown);
    expect((await admin('generations', 'show', requestId)).out).toMatch(/^limit_source +key_limit$/m);
  });

  it('has no text of the prompt in its record', async () => {
    const { id } = await refused(poor, { ...wrongField, system: SECRET, metadata: { user_id: SECRET } });
    await explained(poor, id);

    const items: unknown[] = [];
    for (let shard = 0; shard < 8; shard += 1) {
      const partition = `REFUSAL#${gateway.accountId}#${utcDate(Date.now())}#${shard}`;
      for await (const item of queryPartition(gateway.table(), partition)) items.push(item);
    }
    expect(items.length).toBeGreaterThan(0);
    expect(JSON.stringify(items)).not.toMatch(/hunter2|password/);
  });

  it('with an unknown key belongs to no account', async () => {
    const { status, id } = await refused({ ...gateway, key: 'sk-mg-v1-wrong' }, tooDear);

    expect(status).toBe(401);
    expect((await admin('generations', 'show', id)).err).toContain('has no request');
  });
});

describe('the list of requests', () => {
  let refusedId: string;
  let answeredId: string;
  let failedId: string;
  beforeAll(async () => {
    ({ id: refusedId } = await refused(poor, tooDear));
    const ask = { model: 'sandbox/claude', max_tokens: 20 };
    ({ id: answeredId } = await refused(gateway, { ...ask, messages: [said('Hi')] }));
    ({ id: failedId } = await refused(gateway, { ...ask, messages: [said('Hi', 'error=500')] }));
    await explained(poor, refusedId);
    for (const id of [answeredId, failedId]) await finalGeneration(gateway, id);
  });

  it('has refused requests among the others, each once', async () => {
    const rows = await listed();

    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([refusedId, answeredId, failedId]));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.find(({ id }) => id === failedId)).toMatchObject({ status: 'refused_before', refusal: null });
    expect(rows.find(({ id }) => id === refusedId)).toMatchObject({
      status: 'refused',
      cost_rub: '0',
      refusal: { status: 402, error_type: 'payment_required', field: null, limit_source: 'key_limit' },
    });
    const times = rows.map(({ created_at: at }) => at as string);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it.each<[string, () => string[], () => string]>([
    ['a status', () => ['--status', 'refused'], () => refusedId],
    ['a key', () => ['--key', 'poor'], () => refusedId],
    ['a member', () => ['--member', 'ivan'], () => refusedId],
    ['a model and a status', () => ['--model', 'sandbox/claude', '--status', 'complete'], () => answeredId],
  ])('may be filtered by %s', async (_by, options, expected) => {
    const [all, some] = [await listed(), await listed(...options())];

    const ids = some.map(({ id }) => id);
    expect(ids).toContain(expected());
    expect(ids.length).toBeLessThan(all.length);
    expect(ids).toEqual(all.map(({ id }) => id).filter((id) => ids.includes(id)));
  });

  it('fits a terminal', async () => {
    const { out } = await admin('generations', 'list');

    expect(out).toMatch(/402 key_limit/);
    expect(out).toMatch(/^time \(UTC\).* key +member +id/);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(130);
  });

  it('covers several days, page after page, without gaps', async () => {
    const { accountId, workspaceId } = gateway;
    const payer = { accountId, workspaceId, memberId: undefined, keyHash: 'f'.repeat(64) };
    const end = Date.UTC(2026, 9, 31, 23, 59, 59, 999);
    const ids = Array.from({ length: 120 }, (_, index) => `gen-${uuidv7(end - (index * 5 * DAY_MS) / 120)}`);
    const why = { route: 'create-message', status: 400, kind: 'invalid_request' };
    const absent = { field: undefined, limit: undefined, amounts: undefined, model: undefined };
    for (const id of ids) {
      const createdAtMs = generationTimeMs(id)!;

      await writeRefusal(gateway.table(), { id, payer, createdAtMs, ...why, ...absent });
    }

    const days = ['--from', '2026-10-27', '--to', '2026-10-31', '--limit', '50'];
    const found: unknown[] = [];
    for (let page = await listed(...days); page.length > 0;) {
      found.push(...page.map(({ id }) => id));
      page = await listed(...days, '--before', found.at(-1) as string);
    }

    expect(found).toEqual(ids.toSorted().toReversed());
  });

  it.each([
    [['--from', '2026-10-31', '--to', '2026-10-01'], /--from is later than --to/],
    [['--from', '2024-10-31'], /more than 400 days/],
    [['--date', '2026-10-31', '--from', '2026-10-01'], /cannot be used with/],
    [['--before', 'gen-1'], /Use the id of a request/],
  ])('refuses %j', async (options, expected) => {
    expect((await admin('generations', 'list', ...options)).err).toMatch(expected);
  });
});

describe('a request that fails at its provider', () => {
  it('has the ending failed_before, and the cause in one word', async () => {
    const { id } = await refused(gateway, {
      model: 'sandbox/claude',
      max_tokens: 20,
      messages: [said('Hi', 'error=503')],
    });
    await finalGeneration(gateway, id);

    const { out } = await admin('generations', 'list', '--status', 'failed_before');
    expect(out.split('\n').find((line) => line.includes(id))).toContain(' failed_before ');
    expect(await json('generations', 'show', id)).toMatchObject({
      status: 'refused_before',
      provider_status: 503,
      failure: 'provider_overloaded',
    });
  });
});

describe('a generation', () => {
  it('is shown with its price, its attempts and the left-out fields', async () => {
    const asked = { model: 'sandbox/claude', max_tokens: 20, messages: [said('Hi')], seed: 7 };
    const { id, requestId } = await refused(gateway, asked);
    await finalGeneration(gateway, id);

    expect(await json('generations', 'show', requestId)).toMatchObject({
      id,
      api_type: 'completions',
      model: 'sandbox/claude',
      status: 'complete',
      prices_rub: { prompt: expect.stringMatching(/^0\.\d+$/), completion: expect.stringMatching(/^0\.\d+$/) },
      cache_saved_rub: '0',
      left_out: 'seed',
      failed_attempts: [],
      swept: false,
    });
  });
});
