import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { eventually } from '../support/eventually.ts';
import { finalGeneration, get, post, said, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

interface ErrorBody {
  error: { type: string; code: number; message: string; metadata: Record<string, unknown> };
}

async function clientWith(settings: object): Promise<GatewayClient & { hash: string }> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'rated', ...settings });
  return { ...gateway, key: body.key as string, hash: body.data.hash as string };
}

const ask = (client: GatewayClient, directives = 'delay=0', body: object = {}) =>
  post(client, '/messages', { model: 'sandbox/claude', max_tokens: 20, messages: [said('Hi', directives)], ...body });

const rateHeaders = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => /ratelimit/.test(name) && !name.endsWith('x-ratelimit-limit')));

describe('rpm_limit', () => {
  it('refuses the next request of the minute with 429, and states when to retry', async () => {
    const client = await clientWith({ rpm_limit: 2 });
    // If a minute ends between the requests, the next minute has room again.
    const refused = await eventually(async () => {
      const responses = [await ask(client), await ask(client), await ask(client)];
      const last = responses.at(-1)!;
      expect(last.status).toBe(429);
      return last;
    });

    expect(((await refused.json()) as ErrorBody).error).toMatchObject({
      type: 'rate_limit_error',
      code: 429,
      metadata: { limit_source: 'key_requests_per_minute', limit: 2 },
    });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(rateHeaders(refused)).toEqual({
      'anthropic-ratelimit-requests-limit': '2',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': expect.stringMatching(/^20.*:00\.000Z$/) as string,
    });
  });

  it('of the workspace applies to each of its keys', async () => {
    await manage(gateway, 'POST', '/workspaces', { name: 'Rated', slug: 'rated', rpm_limit: 1 });
    const clients = await Promise.all([1, 2].map(() => clientWith({ workspace_id: 'rated', rpm_limit: 100 })));

    const admitted = await Promise.all(clients.map((client) => ask(client)));

    expect(admitted.map(({ status }) => status)).toEqual([200, 200]);
    expect(admitted.map(({ headers }) => headers.get('anthropic-ratelimit-requests-limit'))).toEqual(['1', '1']);
  });
});

describe('the headers of a key with limits', () => {
  it('have the rest of the limits on a streamed answer of the Messages API', async () => {
    const client = await clientWith({ rpm_limit: 50, tpm_limit: 100_000 });
    const response = await ask(client, 'delay=0', { stream: true });
    await response.text();

    expect(rateHeaders(response)).toEqual({
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-requests-reset': expect.any(String) as string,
      'anthropic-ratelimit-tokens-limit': '100000',
      'anthropic-ratelimit-tokens-remaining': expect.stringMatching(/^9[89]\d{3}$/) as string,
      'anthropic-ratelimit-tokens-reset': expect.any(String) as string,
    });
  });

  it.each([
    ['/chat/completions', { model: 'sandbox/gpt', max_tokens: 20, messages: [said('Hi', 'delay=0')] }],
    ['/responses', { model: 'sandbox/gpt', max_output_tokens: 20, input: 'Hi' }],
    ['/embeddings', { model: 'sandbox/embedder', input: 'Hi' }],
    ['/embeddings', { model: 'sandbox/unknown', input: 'Hi' }],
  ])('have the names of OpenAI’s API on %s', async (path, body) => {
    const client = await clientWith({ rpm_limit: 50, tpm_limit: 100_000 });
    const response = await post(client, path, body);

    expect(rateHeaders(response)).toEqual({
      'x-ratelimit-limit-requests': '50',
      'x-ratelimit-remaining-requests': response.ok ? '49' : '50',
      'x-ratelimit-reset-requests': expect.stringMatching(/^[1-9]\d?s$/) as string,
      'x-ratelimit-limit-tokens': '100000',
      'x-ratelimit-remaining-tokens': response.ok ? (expect.stringMatching(/^9[89]\d{3}$/) as string) : '100000',
      'x-ratelimit-reset-tokens': expect.stringMatching(/^[1-9]\d?s$/) as string,
    });
  });

  it('are absent without limits', async () => {
    expect(rateHeaders(await ask(gateway))).toEqual({});
  });
});

describe('tpm_limit', () => {
  it('counts real tokens once a request is settled', async () => {
    const client = await clientWith({ tpm_limit: 100_000 });
    const response = await ask(client);
    await response.text();
    const record = await finalGeneration(client, response.headers.get('x-generation-id')!);

    const tokens = Number(record['tokens_prompt']) + Number(record['tokens_completion']);
    await eventually(async () => {
      const next = await ask(client, 'delay=0', { model: 'sandbox/unknown' });
      const left = Number(next.headers.get('anthropic-ratelimit-tokens-remaining'));
      // If a minute has ended, all tokens are available again.
      expect([100_000 - tokens, 100_000]).toContain(left);
    });
  });
});

describe('parallel_limit', () => {
  it('refuses a request while another runs, and admits requests one after the other', async () => {
    const client = await clientWith({ parallel_limit: 1 });
    const running = await ask(client, 'tokens=20 delay=400', { stream: true });
    const refused = await ask(client);

    expect([running.status, refused.status]).toEqual([200, 429]);
    expect(((await refused.json()) as ErrorBody).error.metadata).toMatchObject({
      limit_source: 'key_parallel_requests',
      limit: 1,
    });
    expect(refused.headers.get('retry-after')).toBe('1');

    await running.body!.cancel();
    const next = await eventually(async () => {
      const response = await ask(client);
      expect(response.status).toBe(200);
      return response;
    });
    await next.text();
    // The previous request counts as running until it is settled.
    for (let times = 1; times <= 3; times += 1) expect((await ask(client)).status).toBe(200);
  });
});

describe('limits on requests', () => {
  it('are shown, changed and removed over HTTP', async () => {
    const { hash, key } = await clientWith({ rpm_limit: 5, tpm_limit: 1_000, parallel_limit: 2 });
    const shown = async () => (await manage(gateway, 'GET', `/keys/${hash}`)).body.data as object;

    expect(await shown()).toMatchObject({ rpm_limit: 5, tpm_limit: 1_000, parallel_limit: 2 });
    const { data } = (await (await get(gateway, '/key', key)).json()) as { data: object };
    expect(data).toMatchObject({ rate_limit: { requests: 5, interval: '60s' } });
    await manage(gateway, 'PATCH', `/keys/${hash}`, { rpm_limit: null, tpm_limit: null, parallel_limit: null });
    expect(await shown()).toMatchObject({ rpm_limit: null, tpm_limit: null, parallel_limit: null });
  });

  it.each([
    ['rpm_limit', 0],
    ['rpm_limit', 1.5],
    ['tpm_limit', '5'],
    ['parallel_limit', 1_000_000],
  ])('refuse %s with %s', async (field, value) => {
    const { status, body } = await manage(gateway, 'POST', '/keys', { name: 'k', [field]: value });
    expect([status, (body as ErrorBody).error.message]).toEqual([
      400,
      expect.stringContaining(`${field}: must be a whole number from 1 to`),
    ]);
  });
});
