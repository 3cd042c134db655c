import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { functions } from '../../lambdas/routes.ts';
import { runSmoke } from '../../lib/smoke/run.ts';
import { startFaultProxy, type FaultProxy } from '../../lib/drill/fault-proxy.ts';
import { dashboardSeries, writtenSeries } from '../support/dashboard-series.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { itemActions, type ItemAction } from '../support/item-actions.ts';
import { manage } from '../support/manage.ts';
import { synthesize } from '../support/synthesized.ts';

/** Emulators let everybody do everything: here each call to the table is held against the rights of the function that makes it. */

let proxy: FaultProxy;
let gateway: RunningGateway;
beforeAll(async () => {
  proxy = await startFaultProxy(inject('dynamodbEndpoint'));
  gateway = await startGateway({
    // The scheduled workers run a few seconds after the full minute, and days end at midnight: what is used before it is rolled up.
    args: ['--sandboxed', '--ephemeral', '--now', '2026-12-31T23:58:30Z'],
    env: {
      DYNAMODB_ENDPOINT: proxy.endpoint,
      NODE_OPTIONS: `--import ${fileURLToPath(new URL('../support/own-endpoints.mjs', import.meta.url))}`,
    },
  });
}, 180_000);
afterAll(async () => {
  await gateway.stop();
  await proxy.stop();
});

/** Rights for what does not happen here. */
const rarelyUsed: Record<string, readonly string[]> = {
  // It asks which providers are live, where that is not in its environment, as it is on one machine.
  'list-videos-models': ['Query'],
  // Far into a list, a page leaves a bookmark.
  'list-keys': ['PutItem'],
  // A settlement that comes after a sweep is a correction.
  'finalize-cost': ['PutItem'],
  // Where the queue cannot be reached, what is to be settled is noted on the record.
  'advance-videos': ['UpdateItem'],
  // The night's comparison begins an hour after midnight (test/books/reconcile-days.test.ts sees it).
  'reconcile-days': ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'],
  // So does sealing (test/books/seal-days.test.ts).
  'seal-days': ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'],
  // There is no bucket for the books on one machine.
  'export-books': ['GetItem', 'PutItem'],
  // Nothing is due.
  'sweep-holds': ['GetItem', 'PutItem', 'UpdateItem'],
};

/** The functions whose calls have been seen, with what they did. */
function seen(): Map<string, ItemAction[]> {
  const byFunction = new Map<string, ItemAction[]>();
  for (const call of proxy.calls) {
    // AWS' own client ends a path with a slash.
    const name = call.path.replaceAll('/', '');
    if (name !== '') byFunction.set(name, [...(byFunction.get(name) ?? []), ...itemActions(call)]);
  }
  return byFunction;
}

function isGranted(name: string, { action, partition, index }: ItemAction): boolean {
  const { table = [], partitions, indexes = false } = functions[name]!.grants;
  const isOfPartition = partitions?.some((prefix) => partition?.startsWith(prefix)) ?? true;
  return (table as readonly string[]).includes(action) && isOfPartition && (index === undefined || indexes);
}

async function useEverything(): Promise<void> {
  const change = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    (await manage(gateway, method, path, body, headers)).body;
  const ask = (model: string, more: object = {}, key = gateway.key) =>
    post({ ...gateway, key }, '/messages', { model, max_tokens: 50, messages: [said('Hi', 'delay=0')], ...more });

  const { data: limited, key } = await change(
    'POST',
    '/keys',
    { name: 'a', limit: 1000, limit_reset: 'daily' },
    {
      'idempotency-key': 'one',
    },
  );
  const limitedClient = { ...gateway, key: key as string };
  const streamed = await ask('sandbox/claude', { stream: true, max_tokens: 20_000 }, key as string);
  await streamed.text();
  const answered = (await (await ask('sandbox/gpt', {}, key as string)).json()) as { id: string };
  await ask('sandbox/gpt:free');
  await ask('sandbox/gpt', {
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    messages: [said('How deep is Baikal?')],
  });
  await ask('sandbox/claude', { messages: [said('Hi', 'error=500')] });
  for (const model of ['sandbox/claude', 'sandbox/gpt:free']) {
    // A conversation is remembered from its second turn on, where nothing else says what it is.
    const chat = { model, max_tokens: 20_000, messages: [said('Hi', 'delay=0'), said('And now?', 'delay=0')] };
    await (await post(limitedClient, '/chat/completions', { ...chat, stream: true })).text();
    const { messages: input, max_tokens: limit, ...rest } = chat;
    await (await post(limitedClient, '/responses', { ...rest, input, max_output_tokens: limit, stream: true })).text();
  }
  await post(gateway, '/messages/count_tokens', { model: 'sandbox/claude', messages: [said('Hi')] });
  await post(limitedClient, '/decisions', {
    model: 'sandbox/judge',
    state: 'Where is my parcel?',
    questions: { angry: { type: 'noul', instructions: 'Is the writer angry?' } },
  });
  await post(limitedClient, '/embeddings', { model: 'sandbox/embedder', input: ['Where is my parcel?', 'Late.'] });
  const estimated = { model: 'sandbox/gpt', messages: [said('Hi')] };
  for (const [path, body] of Object.entries({
    '/messages': estimated,
    '/chat/completions': estimated,
    '/responses': { model: 'sandbox/gpt', input: 'Hi' },
    '/decisions': {
      model: 'sandbox/judge',
      state: 'Where is my parcel?',
      questions: { angry: { type: 'noul', instructions: 'Is the writer angry?' } },
    },
    '/embeddings': { model: 'sandbox/embedder', input: 'Where is my parcel?' },
    '/videos': { model: 'sandbox/filmmaker', prompt: 'A fox' },
  })) {
    expect((await post(limitedClient, `${path}/estimate`, body)).status).toBe(200);
  }
  const { id: video } = (await (
    await post(limitedClient, '/videos', { model: 'sandbox/filmmaker', prompt: 'A fox @sandbox polls=0', duration: 5 })
  ).json()) as { id: string };
  await expect
    .poll(async () => ((await (await get(limitedClient, `/videos/${video}`)).json()) as { status: string }).status, {
      timeout: 15_000,
      interval: 300,
    })
    .toBe('completed');
  await fetch(`${gateway.baseUrl}/videos/${video}/content`, {
    headers: { authorization: `Bearer ${gateway.key}` },
    redirect: 'manual',
  });
  await post(gateway, '/videos/notices/nobody', {});
  await finalGeneration(limitedClient, answered.id, 15_000);
  await get(limitedClient, `/generation?id=${answered.id}&proof=true`);
  for (const path of [
    '/models',
    '/models/sandbox/gpt:free',
    '/models/user',
    '/embeddings/models',
    '/videos/models',
    '/key',
  ]) {
    expect((await get(gateway, path)).status).toBe(200);
  }

  const { data: workspace } = await change(
    'POST',
    '/workspaces',
    { name: 'Team', slug: 'team' },
    { 'idempotency-key': 'two' },
  );
  const place = `/workspaces/${workspace.id}`;
  await change('POST', `${place}/members/add`, { user_ids: ['ann'] });
  const { data: hers } = await change('POST', '/keys', { name: 'b', workspace_id: workspace.id, member_id: 'ann' });
  await change('PUT', `${place}/budgets/daily`, { limit_rub: 100 });
  await change('PUT', `${place}/members/ann/budgets/daily`, { limit_rub: 10 });
  for (const path of [
    '/credits',
    '/activity',
    '/activity?group_by=workspace',
    '/generations',
    `/generations/${answered.id}`,
    '/statements/2026-10?group_by=key',
    `/generations?workspace_id=team&api_key_hash=${hers.hash}`,
    `/activity?workspace_id=team&api_key_hash=${hers.hash}`,
    '/keys?limit=1',
    '/keys?offset=1',
    `/keys?workspace_id=team&member_id=ann&include_disabled=false`,
    `/keys/${limited.hash}`,
    '/workspaces',
    place,
    `${place}/members`,
    `${place}/budgets`,
    `${place}/budgets/daily`,
    `${place}/members/ann/budgets`,
    `${place}/members/ann/budgets/daily`,
  ]) {
    expect((await manage(gateway, 'GET', path)).status).toBe(200);
  }
  await change('PATCH', `/keys/${limited.hash}`, { disabled: true, limit: 50 }, { 'idempotency-key': 'three' });
  await change('PATCH', place, { name: 'Team B', slug: 'team-b' }, { 'idempotency-key': 'four' });
  await change('DELETE', `${place}/members/ann/budgets/daily`);
  await change('DELETE', `${place}/budgets/daily`);
  await change('POST', `${place}/members/remove`, { user_ids: ['ann'] });
  await change('DELETE', `/keys/${limited.hash}`, undefined, { 'idempotency-key': 'five' });
  await change('DELETE', place, undefined, { 'idempotency-key': 'six' });
  const { data: empty } = await change('POST', '/workspaces', { name: 'Empty', slug: 'empty' });
  await change('DELETE', `/workspaces/${empty.id}`);
}

/** An estimate reads how endpoints fare beside its work; where its process is put to rest before, the next one does. */
async function unusedAfterAnother(): Promise<string[]> {
  await post(gateway, '/messages/estimate', { model: 'sandbox/gpt', messages: [said('Hi')] });
  return unused();
}

/** Rights that no call needed so far. */
function unused(): string[] {
  const calls = seen();
  return Object.entries(functions).flatMap(([name, { grants }]) => {
    const used = new Set([...(calls.get(name) ?? []).map(({ action }) => action), ...(rarelyUsed[name] ?? [])]);
    return (grants.table ?? []).filter((action) => !used.has(action)).map((action) => `${name}: ${action}`);
  });
}

it('every function does to the table what its role allows, no more and no less', { timeout: 600_000 }, async () => {
  await useEverything();

  // Until midnight has passed, and what follows it.
  await expect.poll(unusedAfterAnother, { timeout: 400_000, interval: 500 }).toEqual([]);
  const refused = [...seen()].flatMap(([name, actions]) =>
    actions.filter((action) => !isGranted(name, action)).map((action) => ({ name, ...action })),
  );
  expect(refused).toEqual([]);
});

/** DynamoDB refuses every item of a transaction, for a reason that no function expects. */
const unforeseen = { conflictsAt: '', code: 'ItemCollectionSizeLimitExceeded' };

/** A conflict, a fault of ours at each place where one can be, and an answer that its provider breaks off. */
async function meetTrouble(): Promise<void> {
  const hasWritten = (name: string) => writtenSeries(gateway.log()).some((series) => series.name === name);
  let conflicts = 0;
  proxy.faultFor = ({ action, path }) => {
    if (action !== 'TransactWriteItems') return undefined;
    if (path.startsWith('/create-key')) return unforeseen;
    if (!path.startsWith('/finalize-cost')) return undefined;
    // A conflict is written when its transaction is over.
    if (!hasWritten('SettlementFailed')) return unforeseen;
    return (conflicts += 1) === 1 ? 'conflict' : undefined;
  };
  const failed = await manage(gateway, 'POST', '/keys', { name: 'c' });
  expect(failed.status).toBe(500);
  const ask = { model: 'sandbox/claude', max_tokens: 50, stream: true, messages: [said('Hi', 'delay=100 break=2')] };
  const broken = await post(gateway, '/messages', ask);
  expect(await broken.text()).toContain('event: error');
  await expect
    .poll(() => ['SettlementFailed', 'Conflicts'].filter(hasWritten), { timeout: 30_000, interval: 100 })
    .toHaveLength(2);
  proxy.faultFor = () => undefined;
}

it('its functions have written every series of the dashboard, but what only the night brings', async () => {
  const { api, directory } = synthesize();
  rmSync(directory, { recursive: true });
  await meetTrouble();

  const { own } = dashboardSeries(api, 'ModelGateway/prod');
  const written = new Set(writtenSeries(gateway.log()).map(({ name, by }) => `${name} by ${by}`));
  const shown = own.map(({ name, by }) => `${name} by ${by}`);
  // The books are compared an hour after midnight (test/books/reconcile-days.test.ts sees it).
  expect(shown.filter((series) => !written.has(series))).toEqual(['DriftRub by all']);
}, 60_000);

it('is what clients need, by the checks that a deployment is checked with from outside', async () => {
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const keys = { GATEWAY_KEY: gateway.key, MANAGEMENT_KEY: gateway.managementKey };
  const code = await runSmoke(['--json', '--url', gateway.baseUrl, '--streaming-url', gateway.streamingUrl], keys);
  const report = String(out.mock.calls[0]![0]);
  out.mockRestore();

  expect(JSON.parse(report)).toMatchObject({ passed: true });
  expect(report).not.toContain('"skipped"');
  expect(code).toBe(0);
});

it('its functions run the synthesized bundles: they stream, settle and answer as in one process', async () => {
  const ask = { model: 'sandbox/claude', messages: [said('Привет', 'delay=0')] };
  const streamed = await post(gateway, '/messages', { ...ask, stream: true });
  expect(await streamed.text()).toContain('event: message_stop');
  const url = await fetch(`${gateway.streamingUrl}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask),
  });
  const { id, usage } = (await url.json()) as { id: string; usage: { cost: number } };
  expect(await finalGeneration(gateway, id, 15_000)).toMatchObject({ total_cost: usage.cost });
  expect((await get(gateway, '/models/sandbox/claude/endpoints')).status).toBe(200);
  const { data: model } = (await (await get(gateway, '/models/sandbox/claude')).json()) as { data: object };
  expect(model).toMatchObject({ id: 'sandbox/claude', available: true });
  const models = await get(gateway, '/models');
  expect(models.headers.get('content-encoding')).toBe('gzip');
  expect(await models.json()).toMatchObject({ data: expect.any(Array) });
  expect((await get(gateway, '/nothing')).status).toBe(404);
  expect((await post(gateway, '/messages', ask, { 'x-api-key': 'sk-mg-v1-wrong' })).status).toBe(401);
});
