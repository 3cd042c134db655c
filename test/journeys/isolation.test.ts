import { beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../lambdas/route.ts';
import { routes, wholeRoutes } from '../../lambdas/routes.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said } from '../support/gateway.ts';

interface Tenant {
  inferenceKey: string;
  managementKey: string;
  workspaceId: string;
  keyHash: string;
  generationId: string;
  videoId: string;
}

let baseUrl: string;
let ann: Tenant;
let eve: Tenant;
beforeAll(async () => {
  ann = await newTenant();
  eve = await newTenant();
}, 300_000);

async function newTenant(): Promise<Tenant> {
  const gateway = await commonGateway();
  baseUrl = gateway.baseUrl;
  const { managementKey } = gateway;
  const { data } = (await json('POST', '/workspaces', managementKey, { name: 'Team', slug: 'team' })) as {
    data: { id: string };
  };
  await json('POST', `/workspaces/${data.id}/members/add`, managementKey, { user_ids: ['member'] });
  await json('PUT', `/workspaces/${data.id}/budgets/daily`, managementKey, { limit_rub: 100 });
  await json('PUT', `/workspaces/${data.id}/members/member/budgets/daily`, managementKey, { limit_rub: 10 });
  const created = (await json('POST', '/keys', managementKey, {
    name: 'team',
    workspace_id: data.id,
    member_id: 'member',
  })) as { data: { hash: string }; key: string };
  const answer = await post({ ...gateway, key: created.key }, '/messages', {
    model: 'sandbox/claude',
    messages: [said('Hello', 'delay=0')],
  });
  const { id: generationId } = (await answer.json()) as { id: string };
  await finalGeneration({ ...gateway, key: created.key }, generationId);
  const video = await post({ ...gateway, key: created.key }, '/videos', { model: 'sandbox/filmmaker', prompt: 'Snow' });
  const { id: videoId } = (await video.json()) as { id: string };
  return {
    inferenceKey: gateway.key,
    managementKey,
    workspaceId: data.id,
    keyHash: created.data.hash,
    generationId,
    videoId,
  };
}

async function send(method: string, path: string, key: string, body?: unknown): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function json(method: string, path: string, key: string, body?: unknown): Promise<unknown> {
  return (await send(method, path, key, body)).json();
}

/** Each request is sent with the id of another account's resource, and with an unknown id. */
interface Attempt {
  route: keyof typeof routes;
  path: (of: Tenant) => string;
  body?: (of: Tenant) => unknown;
}

const workspace = (rest: string) => (of: Tenant) => `/workspaces/${of.workspaceId}${rest}`;
const attempts: Attempt[] = [
  { route: 'get-generation', path: (of) => `/generation?id=${of.generationId}` },
  { route: 'get-video', path: (of) => `/videos/${of.videoId}` },
  { route: 'get-video-content', path: (of) => `/videos/${of.videoId}/content` },
  { route: 'get-activity', path: (of) => `/activity?api_key_hash=${of.keyHash}` },
  { route: 'get-activity', path: (of) => `/activity?workspace_id=${of.workspaceId}` },
  { route: 'list-generations', path: (of) => `/generations?workspace_id=${of.workspaceId}` },
  { route: 'list-keys', path: (of) => `/keys?workspace_id=${of.workspaceId}` },
  { route: 'list-keys', path: (of) => `/keys?workspace_id=${of.workspaceId}&member_id=member` },
  { route: 'create-key', path: () => '/keys', body: (of) => ({ name: 'x', workspace_id: of.workspaceId }) },
  {
    route: 'create-key',
    path: () => '/keys',
    body: (of) => ({ name: 'x', workspace_id: of.workspaceId, member_id: 'member' }),
  },
  { route: 'get-request-record', path: (of) => `/generations/${of.generationId}` },
  { route: 'get-key', path: (of) => `/keys/${of.keyHash}` },
  { route: 'update-key', path: (of) => `/keys/${of.keyHash}`, body: () => ({ disabled: true }) },
  { route: 'rotate-key', path: (of) => `/keys/${of.keyHash}/rotate`, body: () => ({}) },
  { route: 'delete-key', path: (of) => `/keys/${of.keyHash}` },
  { route: 'get-workspace', path: workspace('') },
  { route: 'update-workspace', path: workspace(''), body: () => ({ name: 'Taken over' }) },
  { route: 'delete-workspace', path: workspace('') },
  { route: 'list-budgets', path: workspace('/budgets') },
  { route: 'get-budget', path: workspace('/budgets/daily') },
  { route: 'set-budget', path: workspace('/budgets/daily'), body: () => ({ limit_rub: 0 }) },
  { route: 'delete-budget', path: workspace('/budgets/daily') },
  { route: 'get-workspace-alerts', path: workspace('/alerts') },
  { route: 'set-workspace-alerts', path: workspace('/alerts'), body: () => ({ thresholds: [] }) },
  { route: 'get-key-alerts', path: (of) => `/keys/${of.keyHash}/alerts` },
  { route: 'set-key-alerts', path: (of) => `/keys/${of.keyHash}/alerts`, body: () => ({ thresholds: [] }) },
  { route: 'list-members', path: workspace('/members') },
  { route: 'add-members', path: workspace('/members/add'), body: () => ({ user_ids: ['intruder'] }) },
  { route: 'remove-members', path: workspace('/members/remove'), body: () => ({ user_ids: ['member'] }) },
  { route: 'update-member', path: workspace('/members/member'), body: () => ({ allowed_models: ['sandbox/*'] }) },
  { route: 'list-member-budgets', path: workspace('/members/member/budgets') },
  { route: 'get-member-budget', path: workspace('/members/member/budgets/daily') },
  { route: 'set-member-budget', path: workspace('/members/member/budgets/daily'), body: () => ({ limit_rub: 0 }) },
  { route: 'delete-member-budget', path: workspace('/members/member/budgets/daily') },
];

/** Requests to routes of modalities name no resource of an account. */
const modalityNames = Object.values(wholeRoutes).flatMap(Object.keys) as (keyof typeof routes)[];

/** Requests to these routes can name no resource of an account. */
const nameNothing: (keyof typeof routes)[] = [
  'get-tags',
  'set-tags',
  ...modalityNames,
  'generate-image',
  'edit-image',
  'convert-text',
  'convert-recording',
  'estimate-image-edit',
  'list-images-models',
  'list-image-endpoints',
  'create-message',
  'create-chat-completion',
  'create-response',
  'count-tokens',
  'count-input-tokens',
  'estimate-message',
  'estimate-chat-completion',
  'estimate-response',
  'estimate-video',
  'create-video',
  'notice-video',
  'list-models',
  'get-model',
  'list-user-models',
  'list-videos-models',
  'get-current-key',
  'get-credits',
  'get-account-alerts',
  'set-account-alerts',
  'list-alert-deliveries',
  'get-model-spending',
  'get-statement',
  'list-tag-budgets',
  'set-tag-budget',
  'list-workspaces',
  'create-workspace',
  'get-openapi',
  'get-docs',
  'get-docs-text',
  'get-docs-viewer',
  'get-console',
  'get-console-file',
  'health',
];

const nobody: Tenant = {
  inferenceKey: '',
  managementKey: '',
  workspaceId: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  keyHash: '0'.repeat(64),
  generationId: 'gen-01a1faa2-7c1f-7b9a-8f00-3d5c1a2b4c6d',
  videoId: 'gen-01a1faa2-7c1f-7b9a-8f00-3d5c1a2b4c6d',
};

describe('two accounts', () => {
  it('are covered by a test on every route with ids', () => {
    const covered = new Set([...attempts.map(({ route }) => route), ...nameNothing]);
    expect([...covered].toSorted()).toEqual(Object.keys(routes).toSorted());
  });

  it.each(attempts)('cannot access each other through $route', async ({ route, path, body }) => {
    const { method, credential } = routes[route] as Route;
    const key = credential === 'management' ? eve.managementKey : eve.inferenceKey;
    const before = await stateOf(ann);

    const foreign = await send(method, path(ann), key, body?.(ann));
    const unknown = await send(method, path(nobody), key, body?.(nobody));

    expect(foreign.status).toBe(404);
    expect(unknown.status).toBe(404);
    // The response must not reveal whether an id belongs to another account or is unknown.
    expect(told(await foreign.text(), ann)).toEqual(told(await unknown.text(), nobody));
    expect(await stateOf(ann)).toEqual(before);
  });

  it('see only their own data in lists', async () => {
    const keys = (await json('GET', '/keys?workspace_id=team', eve.managementKey)) as { data: { hash: string }[] };
    expect(keys.data.map(({ hash }) => hash)).toEqual([eve.keyHash]);
    const workspaces = (await json('GET', '/workspaces', eve.managementKey)) as { data: { id: string }[] };
    expect(workspaces.data.map(({ id }) => id)).not.toContain(ann.workspaceId);
  });

  it('may use the same slugs, members and idempotency keys', async () => {
    const [first, second] = [await createOnce(ann.managementKey), await createOnce(eve.managementKey)];
    expect(first.data.id).not.toBe(second.data.id);
  });
});

async function stateOf(tenant: Tenant): Promise<unknown[]> {
  const paths = [
    `/keys/${tenant.keyHash}`,
    `/keys?workspace_id=${tenant.workspaceId}`,
    `/workspaces/${tenant.workspaceId}`,
    `/workspaces/${tenant.workspaceId}/members`,
    `/workspaces/${tenant.workspaceId}/budgets`,
    `/keys/${tenant.keyHash}/alerts`,
    `/workspaces/${tenant.workspaceId}/alerts`,
    '/alerts',
    '/tags',
    '/tags/budgets',
  ];
  return Promise.all(paths.map((path) => json('GET', path, tenant.managementKey)));
}

function told(text: string, of: Tenant): unknown {
  const { error } = JSON.parse(
    text.replaceAll(of.workspaceId, '…').replaceAll(of.keyHash, '…').replaceAll(of.generationId, '…'),
  ) as { error: unknown };
  return error;
}

async function createOnce(managementKey: string): Promise<{ data: { id: string } }> {
  const response = await fetch(`${baseUrl}/workspaces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${managementKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'same',
    },
    body: JSON.stringify({ name: 'Same', slug: 'same' }),
  });
  return (await response.json()) as { data: { id: string } };
}
