import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { curlLine, examplesOf } from '../../lambdas/api/service/reference.ts';
import { errorKinds } from '../../lambdas/platform/errors.ts';
import { hasCurl } from '../support/curl.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, type GatewayClient } from '../support/gateway.ts';
import { documentedOperations } from '../support/openapi.ts';

/** Examples that are not run here: they need a provider, the internet, or a video that does not exist yet. */
const others = new Set([
  'POST /videos/notices/{name}',
  'GET /videos/{id}/content',
  'GET /videos/{id}',
  'POST /speech-to-text',
]);
/** Returns a number by which requests are sorted: PUT comes first; deletions come last, inner resources first. */
function placeOf(name: string): number {
  if (name.startsWith('DELETE')) return 100 - name.length / 1_000;
  return name.endsWith('/members/remove') ? 99.95 : name.startsWith('PUT') ? 0 : 1;
}

const lines = documentedOperations
  .filter(({ name }) => !others.has(name))
  .map(({ name, method, path, operation }) => ({ name, line: curlLine({ path, method, operation }) }))
  .toSorted((a, b) => placeOf(a.name) - placeOf(b.name));

let gateway: GatewayClient;
const variables: Record<string, string> = {};
beforeAll(async () => {
  gateway = await commonGateway();
  const managed = async (path: string, body: object) => {
    const answer = await post(gateway, path, body, { 'x-api-key': gateway.managementKey });
    return ((await answer.json()) as { data: Record<string, string> }).data;
  };
  const ask = {
    model: 'sandbox/claude',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hi\n@sandbox delay=0' }],
  };
  const { id } = (await (await post(gateway, '/messages', ask)).json()) as { id: string };
  await finalGeneration(gateway, id);
  const { hash } = await managed('/keys', { name: 'docs' });
  const { id: workspace } = await managed('/workspaces', { name: 'Docs', slug: 'docs' });
  await managed(`/workspaces/${workspace}/members/add`, { user_ids: ['ann'] });
  Object.assign(variables, {
    ID: id,
    HASH: hash,
    WORKSPACE_ID: workspace,
    MEMBER_ID: 'ann',
    VOICE_ID: 'alto',
    MONTH: '2026-10',
    FILE: 'app.js',
  });
});

describe.skipIf(!hasCurl)('the API reference', () => {
  it.each(lines)('has a working command for $name', async ({ line }) => {
    const env = {
      ...process.env,
      ...variables,
      GATEWAY_URL: gateway.baseUrl,
      GATEWAY_KEY: gateway.key,
      MANAGEMENT_KEY: gateway.managementKey,
    };
    const { stdout } = await promisify(execFile)('bash', ['-c', `${line} -s`], {
      encoding: 'utf8',
      env,
      maxBuffer: 16_000_000,
    });

    expect(stdout).not.toBe('');
    expect(stdout).not.toMatch(/^\{"type":"error"/);
  });

  it.each(['/docs.md', '/llms.txt'])('is available as text, at %s', async (path) => {
    const response = await get(gateway, path);
    const text = await response.text();

    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text).toMatch(/^# /);
    for (const { name } of documentedOperations) {
      const [method, place] = name.split(' ');
      expect(text).toContain(`### ${method} /v1${place}\n`);
    }
    expect(text).toContain('- `max_tokens` (');
    expect(text).toContain('- `message_start`: ');
    expect(text).not.toMatch(/undefined|\[object|<code>|&quot;/);
  });

  it.each(['/', '/docs', '/v1', '/v1/'])('is the target of a redirect for browsers from %s', async (path) => {
    const { origin } = new URL(gateway.baseUrl);
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

    const response = await fetch(`${origin}${path}`, { headers: { accept }, redirect: 'manual' });

    const location = new URL(response.headers.get('location') ?? 'about:blank', origin).href;
    expect([response.status, location]).toEqual([302, `${gateway.baseUrl}/docs`]);
  });

  it('shows these commands, the events of a stream, and every kind of error with its remedy', async () => {
    const text = await (await get(gateway, '/docs.md')).text();

    expect(text).toContain('curl -X POST "$GATEWAY_URL/messages"');
    for (const event of ['message_start', 'message_delta', 'ping', 'error']) expect(text).toContain(`- \`${event}\`: `);
    for (const kind of Object.keys(errorKinds)) expect(text).toContain(`\`${kind}\`: `);
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  const messageExamples = examplesOf(
    documentedOperations.find(({ name }) => name === 'POST /messages')!.operation.requestBody!.content[
      'application/json'
    ],
  );
  it.each(messageExamples)('shows a request that is answered: $summary', async ({ value }) => {
    const response = await post(gateway, '/messages', value);

    expect([response.status, await response.text()]).toEqual([200, expect.not.stringContaining('"type":"error"')]);
  });

  it('is a page that runs only scripts of this gateway, and loads nothing from elsewhere', async () => {
    const page = await get(gateway, '/docs');
    const html = await page.text();
    const viewer = await get(gateway, '/docs/viewer.js');

    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/]+=*'; /);
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(html).not.toMatch(/https?:/);
    expect(viewer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await viewer.text()).toContain('createApiReference');
  });
});
