import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { functions, wholeRoutes } from '../../lambdas/routes.ts';
import { startDynamodb, type LocalDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { runSmoke } from '../../lib/smoke/run.ts';
import { shortRecording } from '../support/client-api-bodies.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { startSecretsManager, type DrilledSecrets } from '../support/secrets-manager.ts';
import { dashboardSeries, writtenSeries } from '../support/dashboard-series.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { itemActions } from '../support/item-actions.ts';
import { manage } from '../support/manage.ts';
import { startRecordedServices, type RecordedServices } from '../support/recorded-services.ts';
import { allows, isUsedBy, rolesOfFunctions, type Deed, type Right } from '../support/role-rights.ts';
import { synthesize, type Synthesized } from '../support/synthesized.ts';

/** Emulators permit every call, so this test compares each call with the role of the function that makes it. */

let templates: Synthesized;
let directory: string;
let database: LocalDynamodb;
let proxy: FaultProxy;
let secretsManager: DrilledSecrets;
let services: RecordedServices;
let gateway: RunningGateway;
let earlierLogs = '';
beforeAll(async () => {
  templates = synthesize();
  directory = mkdtempSync(join(tmpdir(), 'gateway-sandboxed-'));
  // A table in a data directory has a fixed name, so this test cannot use the shared database.
  database = await startDynamodb(undefined);
  proxy = await startFaultProxy(database.endpoint);
  // Functions find secrets by their logical ids.
  secretsManager = await startSecretsManager(
    new Map([
      [secretOf('Pepper'), 'a'.repeat(64)],
      [secretOf('ProviderKeys'), '{}'],
    ]),
  );
  services = await startRecordedServices(Object.keys(functions), secretsManager.endpoint);
  gateway = await start('2026-12-31T12:00:00Z');
}, 180_000);
afterAll(async () => {
  await gateway.stop();
  await Promise.all([proxy.stop(), services.stop(), secretsManager.stop()]);
  await database.stop();
  rmSync(directory, { recursive: true, force: true });
});

function start(now: string): Promise<RunningGateway> {
  return startGateway({
    args: ['--sandboxed', '--data', directory, '--now', now],
    env: {
      DYNAMODB_ENDPOINT: proxy.endpoint,
      NODE_OPTIONS: `--import ${fileURLToPath(new URL('../support/own-endpoints.mjs', import.meta.url))}`,
      PEPPER_SECRET_ARN: secretOf('Pepper'),
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.endpoint,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'us-east-1',
      ...services.env,
    },
  });
}

/** Starts the gateway again on the next day, shortly before scheduled workers run. */
async function startNextDay(): Promise<void> {
  const { key, managementKey } = gateway;
  await gateway.stop();
  earlierLogs += gateway.log();
  // Only the first start prints the keys.
  gateway = { ...(await start('2027-01-01T00:00:40Z')), key, managementKey };
}

function secretOf(name: string): string {
  const ids = Object.keys(templates.data.findResources('AWS::SecretsManager::Secret'));
  return `local:${ids.find((id) => id.startsWith(name))}`;
}

/** Returns the id of the first resource of a type, or of the first whose id begins with a text. */
function idOf(template: Template, type: string, beginning = ''): string {
  return Object.keys(template.findResources(type)).find((id) => id.startsWith(beginning))!;
}

/** Published catalogs are in a directory here, not in a bucket (test/lib/publications.own.test.ts reads a bucket). */
const ofCatalog = ['s3:GetObject Catalog', 's3:ListBucket Catalog'];
/** Functions that read no provider key here: the sandbox needs none (test/platform/secrets.own.test.ts reads keys). */
const needingNoKey = new Set([
  ...Object.keys(wholeRoutes.create),
  ...Object.keys(wholeRoutes.estimate),
  'generate-image',
  'edit-image',
  'convert-text',
  'convert-recording',
  'estimate-image-edit',
  'count-tokens',
  'count-input-tokens',
  'create-chat-completion',
  'create-response',
  'create-video',
  'advance-videos',
  'estimate-message',
  'estimate-chat-completion',
  'estimate-response',
  'estimate-video',
]);
/**
 * Functions report a limit that has refused a request, or was changed, to check-alerts
 * (test/journeys/alerts.own.test.ts).
 */
const ofLimits = ['sqs:SendMessage CheckAlerts'];
/** Lambda reads a queue with the role of the function that gets the messages. */
const ofMessages = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/**
 * Permissions that this test does not use, each with the test that uses it: an action, with the beginning of a
 * resource's id if needed.
 */
const rarelyUsed: Record<string, readonly string[]> = {
  // Only if a provider needs a key, these functions query which providers are callable
  // (test/routing/live-providers.own.test.ts).
  ...Object.fromEntries(
    ['list-images-models', 'list-videos-models', ...Object.keys(wholeRoutes.list)].map((name) => [
      name,
      ['dynamodb:Query'],
    ]),
  ),
  // A page far into a list stores a bookmark (test/store/key-directory.test.ts).
  'list-keys': ['dynamodb:PutItem'],
  // A settlement after a sweep is a correction (test/accounting/settle.test.ts), and a settlement for a day that has
  // ended reopens the day (test/accounting/close-days.test.ts). A failed message is delivered again within seconds
  // (below, and test/workers/finalize-cost.test.ts).
  'finalize-cost': ['dynamodb:PutItem', 'sqs:SendMessage', 'sqs:ChangeMessageVisibility', ...ofMessages],
  // A local gateway has no topic of e-mails (test/platform/mails.own.test.ts). Checks come seconds after a settlement,
  // and notices need a receiver on the internet (test/journeys/alerts.own.test.ts).
  ...Object.fromEntries(
    ['set-account-alerts', 'set-workspace-alerts', 'set-key-alerts'].map((name) => [name, ['sns:Subscribe']]),
  ),
  'check-alerts': [
    ...['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'].map((name) => `dynamodb:${name}`),
    'secretsmanager:GetSecretValue',
    'sns:Publish',
    'sqs:ChangeMessageVisibility',
    ...ofMessages,
  ],
  'send-alerts': [
    ...['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'].map((name) => `dynamodb:${name}`),
    'secretsmanager:GetSecretValue',
    'sns:Publish',
  ],
  // A failed shard is delivered again within seconds (test/workers/roll-up-activity.test.ts).
  'roll-up-activity': ['sqs:ChangeMessageVisibility', ...ofMessages],
  // If the queue cannot be reached, the settlement is stored on the record (test/faults/settlement-faults.test.ts). An
  // interrupted upload is aborted, and a failed message is delivered again (test/videos/jobs.test.ts).
  'advance-videos': [
    'dynamodb:UpdateItem',
    's3:AbortMultipartUpload',
    's3:ListBucket',
    'sqs:ChangeMessageVisibility',
    ...ofMessages,
  ],
  // S3 checks the permission to list when it reads an object that does not exist.
  'get-video-content': ['s3:ListBucket'],
  // test/videos/jobs.test.ts stores a large request in parts, deletes a stored request, and settles a hold through the
  // queue.
  'create-video': ['s3:AbortMultipartUpload', 's3:DeleteObject', 'sqs:SendMessage FinalizeCost'],
  // A notice about an unknown job queues no message (test/journeys/sandbox-videos.test.ts).
  'notice-video': ['sqs:SendMessage'],
  // The nightly comparison begins an hour after midnight (test/books/reconcile-days.own.test.ts).
  'reconcile-days': ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'].map((name) => `dynamodb:${name}`),
  // Sealing begins an hour after midnight as well (test/books/seals/seal-days.test.ts). On AWS it signs, and stores
  // files (test/books/seals/outside.test.ts).
  'seal-days': [
    ...['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'].map(
      (name) => `dynamodb:${name}`,
    ),
    'kms:Sign',
    's3:GetObject',
    's3:PutObject',
    's3:ListBucket',
  ],
  // A local gateway has no bucket for the books (test/books/export-days.test.ts).
  'export-books': [
    ...['GetItem', 'PutItem', 'ExportTableToPointInTime', 'DescribeExport'].map((name) => `dynamodb:${name}`),
    's3:PutObject',
    's3:AbortMultipartUpload',
  ],
  // No hold is due in this test (test/workers/sweep-holds.test.ts).
  'sweep-holds': [...['GetItem', 'PutItem', 'UpdateItem'].map((name) => `dynamodb:${name}`), 'sqs:SendMessage'],
};

function seen(): Map<string, Deed[]> {
  const table = idOf(templates.data, 'AWS::DynamoDB::GlobalTable');
  const videos = idOf(templates.api, 'AWS::S3::Bucket', 'Videos');
  const deeds = new Map<string, Deed[]>();
  const add = (name: string, deed: Deed) => deeds.set(name, [...(deeds.get(name) ?? []), deed]);
  for (const call of proxy.calls) {
    // AWS's own client ends a path with a slash.
    const name = call.path.replaceAll('/', '');
    if (name === '') continue;
    for (const { action, partition, index } of itemActions(call)) {
      const resource = index === undefined ? table : `${table}/index/${index}`;
      add(name, { action: `dynamodb:${action}`, resource, partition });
    }
  }
  for (const { functionName, action, resource } of services.calls) {
    // A local gateway has one bucket, and secrets have the names of their variables.
    const named = resource.replace('model-gateway-local', videos).replace(/^local:/, '');
    add(functionName, { action, resource: named });
  }
  return deeds;
}

const decision = {
  model: 'sandbox/judge',
  state: 'Where is my parcel?',
  questions: { angry: { type: 'noul', instructions: 'Is the writer angry?' } },
};

async function useEverything(): Promise<void> {
  const change = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    (await manage(gateway, method, path, body, headers)).body;
  const ask = (model: string, more: object = {}, key = gateway.key) =>
    post({ ...gateway, key }, '/messages', { model, max_tokens: 50, messages: [said('Hi', 'delay=0')], ...more });

  const { data: limited, key } = await change(
    'POST',
    '/keys',
    { name: 'a', limit: 1000, limit_reset: 'daily', rpm_limit: 1_000, parallel_limit: 100 },
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
    // A conversation without an id is recognized from its second turn on.
    const chat = { model, max_tokens: 20_000, messages: [said('Hi', 'delay=0'), said('And now?', 'delay=0')] };
    await (await post(limitedClient, '/chat/completions', { ...chat, stream: true })).text();
    const { messages: input, max_tokens: limit, ...rest } = chat;
    await (await post(limitedClient, '/responses', { ...rest, input, max_output_tokens: limit, stream: true })).text();
  }
  await post(gateway, '/messages/count_tokens', { model: 'sandbox/claude', messages: [said('Hi')] });
  await post(gateway, '/responses/input_tokens', { model: 'sandbox/claude', input: 'Hi' });
  await post(limitedClient, '/decisions', decision);
  await post(limitedClient, '/embeddings', { model: 'sandbox/embedder', input: ['Where is my parcel?', 'Late.'] });
  await post(limitedClient, '/audio/speech', { model: 'sandbox/speaker', input: 'parcel' });
  await post(limitedClient, '/text-to-speech/alto/stream', { model_id: 'sandbox/speaker', text: 'parcel' });
  await post(limitedClient, '/rerank', { model: 'sandbox/ranker', query: 'parcel', documents: ['My parcel.'] });
  await post(limitedClient, '/images', { model: 'sandbox/painter', prompt: 'A fox' });
  await post(limitedClient, '/images/generations', { model: 'sandbox/token-painter', prompt: 'A fox' });
  const images = [{ image_url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA' }];
  await post(limitedClient, '/images/edits', { model: 'sandbox/painter', prompt: 'A fox', images });
  const transcribed = { model: 'sandbox/scribe', input_audio: { data: shortRecording } };
  await post(limitedClient, '/audio/transcriptions', transcribed);
  await post(limitedClient, '/audio/translations', transcribed);
  const form = new FormData();
  form.set('model_id', 'sandbox/scribe');
  form.set('file', new Blob([Buffer.from(shortRecording, 'base64')]), 'a.wav');
  const headers = { 'xi-api-key': limitedClient.key };
  await fetch(`${limitedClient.baseUrl}/speech-to-text`, { method: 'POST', headers, body: form });
  const estimated = { model: 'sandbox/gpt', messages: [said('Hi')] };
  for (const [path, body] of Object.entries({
    '/messages': estimated,
    '/chat/completions': estimated,
    '/responses': { model: 'sandbox/gpt', input: 'Hi' },
    '/decisions': decision,
    '/embeddings': { model: 'sandbox/embedder', input: 'Where is my parcel?' },
    '/images': { model: 'sandbox/painter', prompt: 'A fox' },
    '/images/edits': { model: 'sandbox/painter', prompt: 'A fox', images },
    '/audio/speech': { model: 'sandbox/speaker', input: 'parcel' },
    '/rerank': { model: 'sandbox/ranker', query: 'parcel', documents: ['My parcel.'] },
    '/audio/transcriptions': transcribed,
    '/audio/translations': transcribed,
    '/videos': { model: 'sandbox/filmmaker', prompt: 'A fox' },
  })) {
    expect((await post(limitedClient, `${path}/estimate`, body)).status).toBe(200);
  }
  const { id: video } = (await (
    await post(limitedClient, '/videos', { model: 'sandbox/filmmaker', prompt: 'A fox @sandbox polls=0', duration: 5 })
  ).json()) as { id: string };
  await expect
    .poll(async () => ((await (await get(limitedClient, `/videos/${video}`)).json()) as { status: string }).status, {
      interval: 300,
    })
    .toBe('completed');
  // S3 reads the file with the permissions of the function that has signed the address.
  const { status: ofContent } = await get(limitedClient, `/videos/${video}/content`);
  expect(ofContent).toBe(200);
  await post(gateway, '/videos/notices/nobody', {});
  await finalGeneration(limitedClient, answered.id);
  await get(limitedClient, `/generation?id=${answered.id}&proof=true`);
  for (const path of [
    '/models',
    '/models/sandbox/gpt:free',
    '/models/user',
    '/embeddings/models',
    '/rerank/models',
    '/images/models',
    '/images/models/sandbox/painter/endpoints',
    '/audio/transcriptions/models',
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
  await change('PUT', '/tags', { reported: ['project'] });
  await change('PUT', `${place}/budgets/daily`, { limit_rub: 100 });
  await change('PUT', `${place}/members/ann/budgets/daily`, { limit_rub: 10 });
  await change('PUT', '/tags/budgets', { name: 'project', value: 'lake', interval: 'daily', limit_rub: 10 });
  for (const path of ['/alerts', `${place}/alerts`, `/keys/${hers.hash}/alerts`]) {
    await change('PUT', path, { thresholds: [] });
    await change('PUT', path, {});
  }
  for (const path of [
    '/credits',
    '/activity',
    '/activity?group_by=workspace',
    '/activity?group_by=tag:project',
    '/tags',
    '/activity/models',
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
    '/tags/budgets',
    `${place}/budgets`,
    `${place}/budgets/daily`,
    `${place}/members/ann/budgets`,
    `${place}/members/ann/budgets/daily`,
    '/alerts',
    '/alerts/deliveries',
    `${place}/alerts`,
    `/keys/${hers.hash}/alerts`,
  ]) {
    expect((await manage(gateway, 'GET', path)).status).toBe(200);
  }
  await change('PATCH', `/keys/${limited.hash}`, { disabled: true, limit: 50 }, { 'idempotency-key': 'three' });
  await change('PATCH', place, { name: 'Team B', slug: 'team-b' }, { 'idempotency-key': 'four' });
  await change('PATCH', `${place}/members/ann`, { rpm_limit: 10 }, { 'idempotency-key': 'seven' });
  // The third rotation removes the secret that the second rotation has ended.
  for (const time of [1, 2, 3]) {
    const [path, expired] = [`/keys/${hers.hash}/rotate`, { expires_old_in_seconds: 0 }];
    await change('POST', path, expired, { 'idempotency-key': `rotation-${time}` });
  }
  await change('DELETE', `${place}/members/ann/budgets/daily`);
  await change('DELETE', `${place}/budgets/daily`);
  await change('POST', `${place}/members/remove`, { user_ids: ['ann'] });
  await change('DELETE', `/keys/${limited.hash}`, undefined, { 'idempotency-key': 'five' });
  await change('DELETE', place, undefined, { 'idempotency-key': 'six' });
  const { data: empty } = await change('POST', '/workspaces', { name: 'Empty', slug: 'empty' });
  await change('DELETE', `/workspaces/${empty.id}`);
}

/**
 * Sends more requests, and returns the unused permissions. The requests read the health of endpoints concurrently with
 * their work; if a process was paused before this read, the next request makes it.
 */
async function unusedAfterAnother(): Promise<string[]> {
  await post(gateway, '/messages/estimate', { model: 'sandbox/gpt', messages: [said('Hi')] });
  await post(gateway, '/decisions', decision);
  await post(gateway, '/videos', { model: 'sandbox/filmmaker', prompt: 'A fox' });
  return unused();
}

/** Returns whether a call uses a right. Rights on the table include its indexes, and one use of either is enough. */
function isUse(right: Right, deed: Deed): boolean {
  return right.action.startsWith('dynamodb:') ? right.action === deed.action : isUsedBy(right, deed);
}

function unused(): string[] {
  const deeds = seen();
  return [...rolesOfFunctions(templates)].flatMap(([name, rights]) => {
    const rare = [
      ...(rarelyUsed[name] ?? []),
      ...(functions[name]!.grants.catalog ? ofCatalog : []),
      ...ofLimits,
      ...(needingNoKey.has(name) ? ['secretsmanager:GetSecretValue ProviderKeys'] : []),
    ];
    const isRare = ({ action, resource }: Right) => rare.some((right) => `${action} ${resource}`.startsWith(right));
    return rights
      .filter(({ action }) => !action.startsWith('logs:'))
      .filter((right) => !isRare(right) && !deeds.get(name)?.some((deed) => isUse(right, deed)))
      .map(({ action, resource }) => `${name}: ${action} ${resource}`);
  });
}

it(
  'functions use all permissions of their roles but the listed rare ones, and no other',
  { timeout: 400_000 },
  async () => {
    await useEverything();

    // The scheduled workers roll up the day that has ended.
    await startNextDay();
    await expect.poll(unusedAfterAnother, { timeout: 200_000, interval: 2_000 }).toEqual([]);
    const roles = rolesOfFunctions(templates);
    const refused = [...seen()].flatMap(([name, deeds]) =>
      deeds.filter((deed) => !allows(roles.get(name)!, deed)).map((deed) => ({ name, ...deed })),
    );
    expect(refused).toEqual([]);
    const met = new Set(services.calls.map(({ action }) => action.split(':')[0]));
    expect(met).toEqual(new Set(['sqs', 's3', 'secretsmanager']));
  },
);

/** DynamoDB refuses every item of a transaction, for a reason that no function expects. */
const unforeseen = { conflictsAt: '', code: 'ItemCollectionSizeLimitExceeded' };

/** Causes a conflict, faults of the gateway, a refused credential, and an answer that its provider breaks off. */
async function meetTrouble(): Promise<void> {
  const hasWritten = (name: string) => writtenSeries(gateway.log()).some((series) => series.name === name);
  let conflicts = 0;
  proxy.faultFor = ({ action, path }) => {
    if (action !== 'TransactWriteItems') return undefined;
    if (path.startsWith('/create-key')) return unforeseen;
    if (!path.startsWith('/finalize-cost')) return undefined;
    // Settlements fail first. Then one conflict occurs, and the transaction is accepted afterwards, because the metric
    // of a conflict is written when its transaction has ended.
    if (!hasWritten('SettlementFailed')) return unforeseen;
    return (conflicts += 1) === 1 ? 'conflict' : undefined;
  };
  const failed = await manage(gateway, 'POST', '/keys', { name: 'c' });
  expect(failed.status).toBe(500);
  const ask = { model: 'sandbox/claude', max_tokens: 50, stream: true, messages: [said('Hi', 'delay=100 break=2')] };
  const broken = await post(gateway, '/messages', ask);
  await post(gateway, '/messages', { ...ask, messages: [said('Hi', 'error=401')] });
  expect(await broken.text()).toContain('event: error');
  await expect.poll(() => ['SettlementFailed', 'Conflicts'].filter(hasWritten), { interval: 100 }).toHaveLength(2);
  proxy.faultFor = () => undefined;
}

it('functions write every series of the dashboard that this machine can cause', async () => {
  await meetTrouble();

  const { own } = dashboardSeries(templates.api, 'ModelGateway/prod');
  const written = new Set(writtenSeries(earlierLogs + gateway.log()).map(({ name, by }) => `${name} by ${by}`));
  const shown = own.map(({ name, by }) => `${name} by ${by}`);
  expect(shown.filter((series) => !written.has(series)).toSorted()).toEqual([
    // The books are compared an hour after midnight (test/books/reconcile-days.own.test.ts).
    'DriftRub by all',
    // The sandbox refuses no encrypted reasoning (test/inference/operator-metrics.own.test.ts).
    'ReasoningDropped by provider',
  ]);
});

it('functions pass the smoke checks of a deployment', async () => {
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const keys = { GATEWAY_KEY: gateway.key, MANAGEMENT_KEY: gateway.managementKey };
  const code = await runSmoke(['--json', '--url', gateway.baseUrl, '--streaming-url', gateway.streamingUrl], keys);
  const report = String(out.mock.calls[0]![0]);
  out.mockRestore();

  expect(JSON.parse(report)).toMatchObject({ passed: true });
  expect(report).not.toContain('"skipped"');
  expect(code).toBe(0);
});

it('functions run the synthesized bundles: they stream, settle and answer as in one process', async () => {
  const ask = { model: 'sandbox/claude', messages: [said('Привет', 'delay=0')] };
  const streamed = await post(gateway, '/messages', { ...ask, stream: true });
  expect(await streamed.text()).toContain('event: message_stop');
  const url = await fetch(`${gateway.streamingUrl}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask),
  });
  const { id, usage } = (await url.json()) as { id: string; usage: { cost: number } };
  expect(await finalGeneration(gateway, id)).toMatchObject({ total_cost: usage.cost });
  expect((await get(gateway, '/models/sandbox/claude/endpoints')).status).toBe(200);
  const { data: model } = (await (await get(gateway, '/models/sandbox/claude')).json()) as { data: object };
  expect(model).toMatchObject({ id: 'sandbox/claude', available: true });
  const models = await get(gateway, '/models');
  expect(models.headers.get('content-encoding')).toBe('gzip');
  expect(await models.json()).toMatchObject({ data: expect.any(Array) });
  expect((await get(gateway, '/nothing')).status).toBe(404);
  expect((await post(gateway, '/messages', ask, { 'x-api-key': 'sk-mg-v1-wrong' })).status).toBe(401);
});
