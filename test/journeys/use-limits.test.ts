import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { get, post, said, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

interface ErrorBody {
  error: { type: string; code: number; message: string; param: string; metadata: Record<string, unknown> };
}

/** Returns a client with a new key. */
async function clientWith(settings: object): Promise<GatewayClient> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'limited', ...settings });
  return { ...gateway, key: body.key as string };
}

const messages = [said('Hi', 'delay=0')];
const ask = (client: GatewayClient, body: object, headers: Record<string, string> = {}) =>
  post(client, '/messages', { max_tokens: 20, messages, ...body }, headers);

const listed = async (one: GatewayClient) => (await get(one, '/models/user')).text();

describe('allowed_models', () => {
  const allowed = ['sandbox/gpt*', 'sandbox/claude-latest'];
  let client: GatewayClient;
  beforeAll(async () => {
    client = await clientWith({ allowed_models: allowed });
  });

  it.each(['sandbox/gpt', 'sandbox/gpt:floor', 'gpt', 'sandbox/claude-latest'])('allow %s', async (model) => {
    expect((await ask(client, { model })).status).toBe(200);
  });

  it.each(['sandbox/claude', 'sandbox/gemini:floor'])('refuse %s, and name the allowed models', async (model) => {
    const response = await ask(client, { model });

    expect(response.status).toBe(403);
    const { error } = (await response.json()) as ErrorBody;
    expect(error).toMatchObject({ type: 'permission_error', code: 403, param: 'model' });
    expect(error.message).toBe(
      `model: This key may not call "${model.split(':')[0]}". It may call sandbox/gpt*, sandbox/claude-latest.`,
    );
    expect(error.metadata).toMatchObject({ limit_source: 'allowed_models', allowed_models: allowed });
  });

  it('apply to each fallback', async () => {
    const response = await ask(client, { model: 'sandbox/gpt', models: ['sandbox/gpt', 'sandbox/thinker'] });

    expect(response.status).toBe(403);
    expect(((await response.json()) as ErrorBody).error.param).toBe('models.1');
  });

  it.each([
    ['/messages/count_tokens', { model: 'sandbox/claude', messages }],
    ['/messages/estimate', { model: 'sandbox/claude', messages }],
    ['/chat/completions', { model: 'sandbox/claude', messages }],
    ['/responses', { model: 'sandbox/claude', input: 'Hi' }],
    ['/embeddings', { model: 'sandbox/embedder', input: 'Hi' }],
    ['/rerank', { model: 'sandbox/ranker', query: 'Hi', documents: ['Hi'] }],
    ['/images', { model: 'sandbox/painter', prompt: 'Snow' }],
    ['/audio/speech', { model: 'sandbox/speaker', input: 'Hi', voice: 'ember' }],
    ['/text-to-speech/ember', { model_id: 'sandbox/speaker', text: 'Hi' }],
    ['/decisions', { model: 'sandbox/judge', state: 'Hi', questions: { a: { type: 'noul', instructions: 'Hi?' } } }],
    ['/videos', { model: 'sandbox/filmmaker', prompt: 'Snow' }],
  ])('apply to %s', async (path, body) => {
    const response = await post(client, path, body);

    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('sandbox/gpt*')]);
  });

  it('do not hide models from lists', async () => {
    expect(await listed(client)).toBe(await listed(gateway));
  });

  it('of the workspace and the member apply as well', async () => {
    const { body: team } = await manage(gateway, 'POST', '/workspaces', {
      name: 'Limited',
      slug: 'limited',
      allowed_models: ['sandbox/claude', 'sandbox/gpt'],
    });
    const path = `/workspaces/${team.data.id}/members`;
    await manage(gateway, 'POST', `${path}/add`, { user_ids: ['ann'] });
    const { body: ann, headers } = await manage(gateway, 'PATCH', `${path}/ann`, { allowed_models: ['sandbox/c*'] });
    const ofAnn = await clientWith({ workspace_id: 'limited', member_id: 'ann', allowed_models: ['sandbox/*'] });

    expect([ann.data.allowed_models, headers.get('etag')]).toEqual([['sandbox/c*'], '"2"']);
    const refusals = await Promise.all(
      ['sandbox/claude', 'sandbox/gpt', 'sandbox/gemini'].map(async (model) => {
        const response = await ask(ofAnn, { model });
        return /(The (workspace|member) of this key|This key) may not/.exec(await response.text())?.[1];
      }),
    );
    expect(refusals).toEqual([undefined, 'The member of this key', 'The workspace of this key']);
  });
});

describe('allowed_networks', () => {
  it('allow requests from their addresses', async () => {
    const client = await clientWith({ allowed_networks: ['127.0.0.0/8', '::1'] });
    expect((await ask(client, { model: 'sandbox/gpt' })).status).toBe(200);
  });

  it('refuse other addresses, also if headers of the client name an allowed address', async () => {
    const client = await clientWith({ allowed_networks: ['192.0.2.0/24'] });
    const headers = { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.1', forwarded: 'for=192.0.2.1' };

    const response = await ask(client, { model: 'sandbox/gpt' }, headers);

    expect(response.status).toBe(403);
    const { error } = (await response.json()) as ErrorBody;
    expect(error.message).toMatch(/^This key may not be used from this network: the gateway sees the address .*127\.0/);
    expect(JSON.stringify(error)).not.toContain('192.0.2');
    expect((await get(client, '/key')).status).toBe(403);
  });
});

describe('the settings of a key', () => {
  it('show its use limits, and null clears them', async () => {
    const { body } = await manage(gateway, 'POST', '/keys', {
      name: 'k',
      allowed_models: ['sandbox/*'],
      allowed_networks: ['2001:db8::/32'],
    });
    const path = `/keys/${body.data.hash}`;
    expect((await manage(gateway, 'GET', path)).body.data).toMatchObject({
      allowed_models: ['sandbox/*'],
      allowed_networks: ['2001:db8::/32'],
    });

    const { body: cleared } = await manage(gateway, 'PATCH', path, { allowed_models: null, allowed_networks: null });
    expect(cleared.data).toMatchObject({ allowed_models: null, allowed_networks: null });
  });

  it.each([
    ['allowed_models', []],
    ['allowed_models', ['Sandbox Claude']],
    ['allowed_models', Array.from({ length: 101 }, (_, index) => `sandbox/${index}`)],
    ['allowed_networks', []],
    ['allowed_networks', ['192.0.2.0/33']],
    ['allowed_networks', ['example.com']],
  ])('refuse a wrong %s', async (field, value) => {
    const { status, body } = await manage(gateway, 'POST', '/keys', { name: 'k', [field]: value });
    expect([status, (body as ErrorBody).error.param]).toEqual([400, expect.stringMatching(new RegExp(`^${field}`))]);
  });
});
