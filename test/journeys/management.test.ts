import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import type { Route } from '../../lambdas/route.ts';
import { routes } from '../../lambdas/routes.ts';
import { admin } from '../support/admin.ts';
import { get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { readEvents } from '../support/sse.ts';
import { eventually } from '../support/eventually.ts';

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-management-'));
  gateway = await startGateway({ args: ['--data', directory], env: { CALLER_CACHE_MS: '500' } });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const newKey = async (body: object = {}) => {
  const { body: answer } = await manage(gateway, 'POST', '/keys', { name: 'k', ...body });
  return { hash: answer.data.hash as string, secret: answer.key as string, data: answer.data };
};
const newWorkspace = async (slug: string) =>
  (await manage(gateway, 'POST', '/workspaces', { name: slug, slug })).body.data as { id: string };
const once = (key: string) => ({ 'idempotency-key': key });
const setBudget = (workspace: string, interval: string, limit: number) =>
  manage(gateway, 'PUT', `/workspaces/${workspace}/budgets/${interval}`, { limit_rub: limit });
const setTagBudget = (budget: object, headers?: Record<string, string>) =>
  manage(gateway, 'PUT', '/tags/budgets', { name: 'project', value: 'lake', interval: 'daily', ...budget }, headers);
const hello = (key: string, words = 'delay=0', more: object = {}) => {
  const ask = { model: 'sandbox/claude', max_tokens: 50, messages: [said('Hello', words)] };
  return post({ ...gateway, key }, '/messages', { ...ask, ...more });
};
/** Requests the data of a key with the key itself. */
const ownKey = async (key: string) =>
  ((await (await get(gateway, '/key', key)).json()) as { data: Record<string, unknown> }).data;

describe('amounts of limits', () => {
  it.each(['0.1', '1e-7', '12345678901234.123456789012', '0', '1E3'])('keep every digit of %s', async (text) => {
    const { body, status } = await manage(gateway, 'POST', '/keys', `{"name": "exact", "limit": ${text}}`);
    expect(status).toBe(201);
    const raw = await (await get(gateway, `/keys/${body.data.hash}`, gateway.managementKey)).text();
    const plain = { '1e-7': '0.0000001', '1E3': '1000' }[text] ?? text;
    expect(raw).toContain(`"limit":${plain},`);
  });

  it.each(['-1', '1e-13', '1e16', '"five"', 'true', '{}'])('refuse %s by the name of the field', async (text) => {
    const { body, status } = await manage(gateway, 'POST', '/keys', `{"name": "exact", "limit": ${text}}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ message: expect.stringContaining('roubles'), metadata: { field: 'limit' } });
  });
});

describe('a misspelled field', () => {
  it('is reported before the missing one, with the known fields', async () => {
    const { status, body } = await manage(gateway, 'PUT', '/workspaces/default/budgets/daily', { limit_usd: 5 });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      message: 'limit_usd: is not a known field; known fields: limit_rub',
      metadata: { field: 'limit_usd' },
    });
  });
});

describe('an API key', () => {
  it('is changed by merging, and its fields are cleared by null', async () => {
    const { hash } = await newKey({ limit: 5, limit_reset: 'daily', expires_at: '2031-01-01T00:00:00Z' });
    const { body } = await manage(gateway, 'PATCH', `/keys/${hash}`, { limit: null, privacy: { blockTraining: true } });
    expect(body.data).toMatchObject({
      limit: null,
      limit_remaining: null,
      limit_reset: 'daily',
      expires_at: '2031-01-01T00:00:00.000Z',
      privacy: { version: 1, blockTraining: true, blockLogging: false },
    });
  });

  it('keeps its spending if its limit changes, and applies the limit at the next request', async () => {
    const { hash, secret } = await newKey();
    await (await hello(secret)).json();
    await expect.poll(async () => (await manage(gateway, 'GET', `/keys/${hash}`)).body.data.usage).toBeGreaterThan(0);
    const { usage } = (await manage(gateway, 'GET', `/keys/${hash}`)).body.data as { usage: number };
    const { body } = await manage(gateway, 'PATCH', `/keys/${hash}`, { limit: 1, limit_reset: 'monthly' });
    expect(body.data.limit_remaining).toBeCloseTo(1 - usage, 10);
    // The first limit of a key without limits applies when the cached key expires.
    await expect.poll(async () => (await ownKey(secret))['limit']).toBe(1);
    await manage(gateway, 'PATCH', `/keys/${hash}`, { limit: 0 });
    expect((await hello(secret)).status).toBe(402);
  });

  it('shows its dictionary only to managers', async () => {
    const dictionary = [{ term: 'Project Falcon', substitute: 'the project' }];
    const { hash, secret } = await newKey({ sensitive_data: { enabled: false, dictionary } });
    expect((await manage(gateway, 'GET', `/keys/${hash}`)).body.data.sensitive_data.dictionary).toEqual(dictionary);
    const own = await (await get(gateway, '/key', secret)).text();
    expect(own).toContain('"dictionary_count":1');
    expect(own).not.toContain('Falcon');
  });

  it('with protection of nothing is refused for every request', async () => {
    const { secret } = await newKey({ sensitive_data: { enabled: true } });
    const response = await hello(secret);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { metadata: { field: 'sensitive_data' } } });
  });

  it('is changed only with the current version', async () => {
    const { hash } = await newKey();
    const read = await manage(gateway, 'GET', `/keys/${hash}`);
    const ifMatch = { 'if-match': read.headers.get('etag')! };
    const first = await manage(gateway, 'PATCH', `/keys/${hash}`, { name: 'first' }, ifMatch);
    const second = await manage(gateway, 'PATCH', `/keys/${hash}`, { name: 'second' }, ifMatch);
    expect([first.status, second.status]).toEqual([200, 412]);
    expect(first.headers.get('etag')).not.toBe(read.headers.get('etag'));
    expect((await manage(gateway, 'GET', `/keys/${hash}`)).body.data.name).toBe('first');
  });

  it.each([
    ['disabled', (hash: string) => manage(gateway, 'PATCH', `/keys/${hash}`, { disabled: true })],
    ['deleted', (hash: string) => manage(gateway, 'DELETE', `/keys/${hash}`)],
  ])('that is %s is soon refused on every route, while its stream completes', async (_, stop) => {
    const inferenceRoutes = Object.values<Route>(routes).filter(({ credential }) =>
      ['inference', 'any'].includes(credential),
    );
    const statuses = (secret: string) =>
      Promise.all(
        inferenceRoutes.map(async ({ method, paths: [path] }) => {
          const response = await fetch(`${gateway.baseUrl}${path}`, {
            method,
            headers: { 'x-api-key': secret, 'content-type': 'application/json' },
            ...(method === 'POST' ? { body: '{}' } : {}),
          });
          await response.text();
          return response.status;
        }),
      );
    let isRefusedDuringStream = false;
    // On a busy machine, the first stream may end before the last route refuses the key, so the next one is longer.
    for (let tokens = 25; !isRefusedDuringStream && tokens <= 400; tokens *= 4) {
      const { hash, secret } = await newKey();
      const events: MessagesEvent[] = [];
      const answer = await hello(secret, `delay=100 tokens=${tokens}`, { stream: true });
      const reading = readEvents(answer, (event) => events.push(event));
      await stop(hash);
      await eventually(async () => expect(await statuses(secret)).toEqual(inferenceRoutes.map(() => 401)));
      isRefusedDuringStream = events.at(-1)!.type !== 'message_stop';
      await reading;
      expect(events.at(-1)!.type).toBe('message_stop');
    }
    expect(isRefusedDuringStream).toBe(true);
  });

  it('is refused after it expires', async () => {
    const { secret } = await newKey({ expires_at: new Date(Date.now() + 1_500).toISOString() });
    expect((await get(gateway, '/key', secret)).status).toBe(200);
    await expect.poll(async () => (await get(gateway, '/key', secret)).status).toBe(401);
  });
});

describe('an Idempotency-Key', () => {
  it.each([
    ['/keys', { name: 'once' }],
    ['/workspaces', { name: 'once', slug: 'once' }],
    ['/workspaces/default/members/add', { user_ids: ['once'] }],
    ['/workspaces/default/members/remove', { user_ids: ['once'] }],
  ])('gives POST %s one effect and one answer', async (path, body) => {
    const key = `once ${path}`.replace(' ', '-');
    const answers = await Promise.all([1, 2, 3, 4].map(() => manage(gateway, 'POST', path, body, once(key))));
    const later = await manage(gateway, 'POST', path, body, once(key));
    expect(new Set([...answers, later].map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(later.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is refused for another body', async () => {
    await manage(gateway, 'POST', '/keys', { name: 'a' }, once('other-body'));
    const { status, body } = await manage(gateway, 'POST', '/keys', { name: 'b' }, once('other-body'));
    expect(status).toBe(409);
    expect(body.error.metadata.field).toBe('idempotency-key');
  });

  it('may be repeated after a failed request', async () => {
    const failed = await manage(gateway, 'POST', '/keys', { name: '' }, once('failed'));
    const repeated = await manage(gateway, 'POST', '/keys', { name: 'right' }, once('failed'));
    expect([failed.status, repeated.status]).toEqual([400, 201]);
  });
});

describe('workspaces', () => {
  it('cannot share a slug, even if they are created concurrently', async () => {
    const body = { name: 'Race', slug: 'race' };
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => manage(gateway, 'POST', '/workspaces', body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  });

  it('release their old slug when they get a new one', async () => {
    const { id } = await newWorkspace('before');
    await manage(gateway, 'PATCH', `/workspaces/${id}`, { slug: 'after' });
    expect((await manage(gateway, 'GET', '/workspaces/after')).body.data.id).toBe(id);
    expect((await manage(gateway, 'GET', '/workspaces/before')).status).toBe(404);
    expect((await manage(gateway, 'POST', '/workspaces', { name: 'b', slug: 'before' })).status).toBe(201);
  });

  it('without history are deleted', async () => {
    await newWorkspace('empty');
    const { body } = await manage(gateway, 'DELETE', '/workspaces/empty');
    expect(body).toEqual({ deleted: true, archived: false });
    expect((await manage(gateway, 'GET', '/workspaces/empty')).status).toBe(404);
  });

  it('with keys are archived: keys stop, and everything stays readable', async () => {
    const { id } = await newWorkspace('used');
    const { secret } = await newKey({ workspace_id: id });
    const { body } = await manage(gateway, 'DELETE', `/workspaces/${id}`);
    expect(body).toEqual({ deleted: true, archived: true });
    expect((await manage(gateway, 'GET', `/workspaces/${id}`)).body.data.status).toBe('archived');
    expect((await manage(gateway, 'GET', `/keys?workspace_id=${id}`)).body.total_count).toBe(1);
    expect((await manage(gateway, 'POST', '/keys', { name: 'k', workspace_id: id })).status).toBe(409);
    expect((await hello(secret)).status).toBe(401);
  });

  it('include a Default one that cannot be deleted', async () => {
    const { status, body } = await manage(gateway, 'DELETE', '/workspaces/default');
    expect(status).toBe(400);
    expect(body.error.message).toContain('Default workspace');
  });
});

describe('members of a workspace', () => {
  it('are removed with their keys, and added again with their budgets', async () => {
    await newWorkspace('crew');
    await manage(gateway, 'POST', '/workspaces/crew/members/add', { user_ids: ['ann'] });
    await manage(gateway, 'PUT', '/workspaces/crew/members/ann/budgets/monthly', { limit_rub: 50 });
    const { secret } = await newKey({ workspace_id: 'crew', member_id: 'ann' });
    await manage(gateway, 'POST', '/workspaces/crew/members/remove', { user_ids: ['ann'] });
    expect((await hello(secret)).status).toBe(401);
    expect((await manage(gateway, 'GET', '/workspaces/crew/members')).body.total_count).toBe(0);
    const { body } = await manage(gateway, 'POST', '/workspaces/crew/members/add', { user_ids: ['ann'] });
    expect(body.data[0].budgets).toMatchObject([{ member_id: 'ann', interval: 'monthly', limit_rub: '50' }]);
  });

  it('are all removed or none', async () => {
    await newWorkspace('duo');
    await manage(gateway, 'POST', '/workspaces/duo/members/add', { user_ids: ['ann', 'bob'] });
    const { status } = await manage(gateway, 'POST', '/workspaces/duo/members/remove', { user_ids: ['ann', 'carl'] });
    expect(status).toBe(404);
    expect((await manage(gateway, 'GET', '/workspaces/duo/members')).body.total_count).toBe(2);
  });
});

describe('budgets of tags', () => {
  it('limit the requests of all keys with the tag, until they are removed', async () => {
    const [first, second] = [await newKey(), await newKey({ tags: { project: 'lake' } })];
    await setTagBudget({ limit_rub: 0 });
    const withTag = (tags: string) =>
      post(
        { ...gateway, key: first.secret },
        '/messages',
        { model: 'sandbox/claude', max_tokens: 50, messages: [said('Hello', 'delay=0')] },
        { 'x-gateway-tags': tags },
      );

    const refused = await withTag('team=core,project=lake');

    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({
      error: { metadata: { limit_source: 'tag_budget', limit_tag: 'project=lake', interval: 'daily' } },
    });
    expect((await hello(second.secret)).status).toBe(402);
    expect((await withTag('project=river')).status).toBe(200);
    expect((await hello(first.secret)).status).toBe(200);
    expect((await setTagBudget({ limit_rub: null })).body).toEqual({ data: [] });
    await eventually(async () => expect((await withTag('project=lake')).status).toBe(200));
  });

  it('are listed with their spending, and have a version', async () => {
    const value = 'река, "a=b"';
    const { body, headers } = await setTagBudget({ value, limit_rub: '0.5' });
    await setTagBudget({ value, interval: 'monthly', limit_rub: 1 });
    const stale = await setTagBudget({ value, limit_rub: 2 }, { 'if-match': headers.get('etag')! });
    const { body: list } = await manage(gateway, 'GET', '/tags/budgets');

    expect(body.data).toMatchObject([{ name: 'project', value, interval: 'daily', limit_rub: '0.5', spend_rub: '0' }]);
    expect(stale.status).toBe(412);
    expect(list.data).toMatchObject([
      { value, interval: 'daily' },
      { value, interval: 'monthly', limit_rub: '1' },
    ]);
  });

  it.each([
    [{ limit_rub: -1 }, 'limit_rub'],
    [{}, 'limit_rub'],
    [{ limit_rub: 5, name: 'Project' }, 'name'],
    [{ limit_rub: 5, value: '' }, 'value'],
    [{ limit_rub: 5, value: 'x'.repeat(101) }, 'value'],
    [{ limit_rub: 5, interval: 'yearly' }, 'interval'],
    [{ limit_rub: 5, workspace_id: 'default' }, 'workspace_id'],
  ])('refuse %j by the name of the field', async (budget, field) => {
    const { status, body } = await setTagBudget(budget);
    expect([status, body.error.metadata.field]).toEqual([400, field]);
  });
});

describe('budgets of a workspace', () => {
  it('rise from daily to lifetime, also if they are set concurrently', async () => {
    await newWorkspace('order');
    for (let round = 0; round < 5; round += 1) {
      const base = (round + 1) * 100;
      await Promise.all([
        setBudget('order', 'daily', base + 50),
        setBudget('order', 'weekly', base + 20),
        setBudget('order', 'monthly', base + 40),
        setBudget('order', 'daily', 1),
      ]);
      const { body } = await manage(gateway, 'GET', '/workspaces/order/budgets');
      const limits = (body.data as { limit_rub: string }[]).map(({ limit_rub }) => Number(limit_rub));
      expect(limits).toEqual([...new Set(limits)].toSorted((a, b) => a - b));
    }
  });

  it('have a stable id, and take effect on the next request', async () => {
    await newWorkspace('blocked');
    const { secret } = await newKey({ workspace_id: 'blocked' });
    const first = await manage(gateway, 'PUT', '/workspaces/blocked/budgets/daily', { limit_rub: 100 });
    expect((await hello(secret)).status).toBe(200);
    const second = await manage(gateway, 'PUT', '/workspaces/blocked/budgets/daily', { limit_rub: '0' });
    expect(second.body.data.id).toBe(first.body.data.id);
    const refused = await hello(secret);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ error: { metadata: { limit_source: 'workspace_budget' } } });
  });

  it('have the times at which they were set and changed', async () => {
    await newWorkspace('dated');
    const path = '/workspaces/dated/budgets/lifetime';
    const set = async (limit: number) => (await manage(gateway, 'PUT', path, { limit_rub: limit })).body.data;
    const first = await set(90_000_000);
    const changed = await set(91_000_000);
    const again = await set(91_000_000);
    await manage(gateway, 'DELETE', path);
    const anew = await set(90_000_000);
    await manage(gateway, 'DELETE', path);

    expect(first).toMatchObject({ limit_usd: null, reset_interval: null, updated_at: first['created_at'] });
    expect(changed).toMatchObject({ created_at: first['created_at'], limit_rub: '91000000' });
    expect(Date.parse(changed['updated_at'] as string)).toBeGreaterThan(Date.parse(first['updated_at'] as string));
    expect(again).toEqual(changed);
    expect(Date.parse(anew['created_at'] as string)).toBeGreaterThan(Date.parse(changed['updated_at'] as string));
  });

  it('may be deleted twice without an error', async () => {
    await newWorkspace('fleeting');
    await manage(gateway, 'PUT', '/workspaces/fleeting/budgets/daily', { limit_rub: 100 });
    expect((await manage(gateway, 'DELETE', '/workspaces/fleeting/budgets/daily')).body).toEqual({ deleted: true });
    expect((await manage(gateway, 'DELETE', '/workspaces/fleeting/budgets/daily')).body).toEqual({ deleted: true });
    expect((await manage(gateway, 'GET', '/workspaces/fleeting/budgets/daily')).status).toBe(404);
  });
});

describe('privacy settings', () => {
  it('decide the same for the list of models and for inference', async () => {
    const { secret } = await newKey({ privacy: { ignoredProviders: ['sandbox-anthropic'] } });
    const listed = await (await get(gateway, '/models/user?output_modalities=all', secret)).json();
    const ids = (listed as { data: { id: string }[] }).data.map(({ id }) => id);
    const refused = await hello(secret);
    expect(ids).not.toContain('sandbox/claude');
    expect(ids).toContain('sandbox/gpt');
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ error: { metadata: { excluded_by: ['ignored_providers'] } } });
    const other = await post({ ...gateway, key: secret }, '/messages', {
      model: 'sandbox/gpt',
      messages: [said('Hello', 'delay=0')],
    });
    expect(other.status).toBe(200);
  });

  it('are the intersection of account, workspace and key', async () => {
    await newWorkspace('private');
    await manage(gateway, 'PATCH', '/workspaces/private', { privacy: { allowedProviders: ['sandbox-anthropic'] } });
    const { secret } = await newKey({ workspace_id: 'private', privacy: { allowedProviders: ['anthropic'] } });
    const { data } = (await (await get(gateway, '/models/user', secret)).json()) as { data: unknown[] };
    expect(data).toEqual([]);
  });

  it('are refused with unknown providers', async () => {
    const { status, body } = await manage(gateway, 'POST', '/keys', {
      name: 'typo',
      privacy: { ignoredProviders: ['opnai'] },
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      message: expect.stringContaining('openai'),
      metadata: { field: 'privacy.ignoredProviders' },
    });
  });
});

describe('the audit log', () => {
  it('has the author and the content of each change, without secrets', async () => {
    const dictionary = [{ term: 'Project Falcon', substitute: 'x' }];
    const { hash, secret, data } = await newKey({ name: 'watched', sensitive_data: { dictionary } });
    await manage(gateway, 'PATCH', `/keys/${hash}`, { limit: 5 });
    const entries = (await admin(directory, 'audit', '--limit', '2')) as unknown as Record<string, unknown>[];
    expect(entries).toMatchObject([
      { action: 'key.update', target: `key ${hash}`, before: { limit_rub: null }, after: { limit_rub: '5' } },
      { action: 'key.create', after: { name: 'watched', label: (data as { label: string }).label } },
    ]);
    expect(entries[0]).toMatchObject({ actor: { kind: 'management_key' }, request_id: expect.stringMatching(/^req_/) });
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(JSON.stringify(entries)).not.toContain('Falcon');
  });
});

describe('an abusive request', () => {
  const envelope = { type: 'error', error: { metadata: { error_type: expect.any(String) as string } } };
  const jsonBody = { 'content-type': 'application/json' };

  it.each([
    ['an unknown path', 404, '/nothing', {}],
    ['an unknown method', 405, '/keys', { method: 'PUT', body: '{}' }],
    [
      'another content type',
      415,
      '/keys',
      { method: 'POST', body: 'name=x', headers: { 'content-type': 'text/plain' } },
    ],
    ['deep JSON', 400, '/keys', { method: 'POST', body: '['.repeat(100_000), headers: jsonBody }],
    ['a body over the limit', 413, '/keys', { method: 'POST', body: 'x'.repeat(7_000_000), headers: jsonBody }],
    ['huge headers', 431, '/keys', { headers: { 'x-huge': 'x'.repeat(20_000) } }],
    ['an empty body', 400, '/keys', { method: 'POST', headers: jsonBody }],
    ['an unknown key', 401, '/keys', { headers: { 'x-api-key': `sk-mg-v1-${'0'.repeat(64)}` } }],
    ['no key at all', 401, '/keys', { headers: { authorization: '' } }],
    ['the other kind of key', 403, '/keys', { headers: { 'x-api-key': 'inference' } }],
  ])('with %s gets %i in the envelope', async (_, status, path, init: Hostile) => {
    const key = init.headers?.['x-api-key'] === 'inference' ? { 'x-api-key': gateway.key } : {};
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${gateway.managementKey}`, ...init.headers, ...key },
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ ...envelope, error: { ...envelope.error, code: status } });
  });
});

interface Hostile {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}
