import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminHere } from '../support/admin.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

type Row = Record<string, unknown>;

const HOUR_MS = 60 * 60_000;

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-key-settings-'));
  // Callers are not cached, so the gateway notices a disabled key at once.
  gateway = await startGateway({ args: ['--data', directory], env: { CALLER_CACHE_MS: '1' } });
  await json('members', 'add', '--member', 'ann');
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function json(...args: string[]): Promise<Row> {
  const { out, err } = await adminHere(directory, '--json', ...args);
  expect(err).toBe('');
  return JSON.parse(out) as Row;
}

const shown = async ({ hash }: Row) => (await manage(gateway, 'GET', `/keys/${hash as string}`)).body['data'] as Row;
const ask = (key: unknown) =>
  post({ ...gateway, key: key as string }, '/messages', {
    model: 'sandbox/claude',
    max_tokens: 20,
    messages: [said('Hi', 'delay=0')],
  });

describe('keys set', () => {
  it('renames a key, sets its expiry, and protects its prompts', async () => {
    const made = await json('keys', 'create', '--name', 'plain');
    await json('keys', 'set', '--key', 'plain', '--name', 'guarded', '--expires', '2099-01-01T00:00:00Z');
    const set = await json('keys', 'set', '--key', 'guarded', '--protect', 'email,card', '--action', 'block');

    expect(set).toMatchObject({ name: 'guarded', protects: 'email, card', action: 'block', restore: true });
    expect(await shown(made)).toMatchObject({
      name: 'guarded',
      expires_at: '2099-01-01T00:00:00.000Z',
      sensitive_data: { enabled: true, action: 'block', categories: ['email', 'card'] },
    });
  });

  it('clears its earlier settings, and leaves other settings unchanged', async () => {
    const made = await json('keys', 'create', '--name', 'open', '--expires', '2099-01-01T00:00:00Z');
    await json('keys', 'set', '--key', 'open', '--protect', 'email', '--block-training', 'true');
    await json('keys', 'set', '--key', 'open', '--protect', 'none', '--expires', 'none');

    expect(await shown(made)).toMatchObject({
      name: 'open',
      expires_at: null,
      sensitive_data: { enabled: false },
      privacy: { blockTraining: true },
    });
  });

  it('refuses to run without a setting', async () => {
    expect((await adminHere(directory, 'keys', 'set', '--key', 'open')).err).toMatch(/another setting/);
  });
});

describe('keys rotate', () => {
  it('gives the key a new secret, and keeps its hash, settings and spending', async () => {
    const limits = ['--limit', '50', '--limit-reset', 'daily', '--member', 'ann'];
    const old = await json('keys', 'create', '--name', 'server', ...limits);
    await json('keys', 'set', '--key', 'server', '--protect', 'email', '--block-training', 'true');
    const answer = await ask(old['key']);
    await answer.text();
    const client = { ...gateway, key: old['key'] as string };
    await finalGeneration(client, answer.headers.get('x-generation-id')!);
    const before = await shown(old);

    const made = await json('keys', 'rotate', '--key', 'server');

    expect(made).toMatchObject({ hash: old['hash'], old_works_until: 'now' });
    expect(await shown(old)).toEqual({
      ...before,
      label: made['label'],
      updated_at: expect.any(String) as string,
    });
    expect(before['usage']).toBeGreaterThan(0);
    expect([(await ask(made['key'])).status, (await ask(old['key'])).status]).toEqual([200, 401]);
  });

  it('lets the old secret work for the given time', async () => {
    const old = await json('keys', 'create', '--name', 'client');
    const made = await json('keys', 'rotate', '--key', 'client', '--grace', '24h');

    const until = Date.parse(made['old_works_until'] as string);
    expect(Math.abs(until - Date.now() - 24 * HOUR_MS)).toBeLessThan(60_000);
    expect([(await ask(made['key'])).status, (await ask(old['key'])).status]).toEqual([200, 200]);
  });

  it('does not extend a key that expires earlier', async () => {
    const expires = new Date(Date.now() + HOUR_MS).toISOString();
    await json('keys', 'create', '--name', 'ending', '--expires', expires);

    expect(await json('keys', 'rotate', '--key', 'ending', '--grace', '7d')).toMatchObject({
      old_works_until: expires,
      expires_at: expires,
    });
  });

  it('works for a management key as well', async () => {
    await json('keys', 'create', '--kind', 'management', '--name', 'ops');
    const made = await json('keys', 'rotate', '--key', 'ops');

    expect(made['key']).toMatch(/^mk-/);
    const response = await get({ ...gateway, key: made['key'] as string }, '/keys');
    expect(response.status).toBe(200);
  });
});

const rotate = (hash: unknown, body: object, headers?: Record<string, string>) =>
  manage(gateway, 'POST', `/keys/${hash as string}/rotate`, body, headers);

describe('POST /keys/{hash}/rotate', () => {
  it('lets the old secret work for a day, unless the request states another time', async () => {
    const old = await json('keys', 'create', '--name', 'over HTTP');

    const { status, body, headers } = await rotate(old['hash'], {});

    expect([status, headers.get('etag'), body.key]).toEqual([200, '"2"', body.data.key]);
    const until = Date.parse(body.data.old_key_expires_at as string);
    expect(Math.abs(until - Date.now() - 24 * HOUR_MS)).toBeLessThan(60_000);
    expect([(await ask(body.key)).status, (await ask(old['key'])).status]).toEqual([200, 200]);

    const { body: last } = await rotate(old['hash'], { expires_old_in_seconds: 0 });
    expect(last.data.old_key_expires_at).toBeNull();
    const statuses = await Promise.all([last.key, body.key, old['key']].map(async (key) => (await ask(key)).status));
    expect(statuses).toEqual([200, 401, 401]);
  });

  it('rotates once for requests with the same Idempotency-Key', async () => {
    const { hash } = await json('keys', 'create', '--name', 'once over HTTP');
    const headers = { 'idempotency-key': 'rotate-1' };
    const answers = await Promise.all([1, 2, 3].map(() => rotate(hash, {}, headers)));

    expect(new Set(answers.map(({ body }) => body.key as string)).size).toBe(1);
    expect((await shown({ hash }))['label']).toBe(answers[0]!.body.data.label);
  });

  it('refuses an older version, an unknown field and a time above thirty days', async () => {
    const { hash } = await json('keys', 'create', '--name', 'refused over HTTP');

    expect((await rotate(hash, {}, { 'if-match': '"7"' })).status).toBe(412);
    expect((await rotate(hash, { grace: 1 })).status).toBe(400);
    expect((await rotate(hash, { expires_old_in_seconds: 30 * 86_400 + 1 })).status).toBe(400);
  });

  it('is in the audit log, without secrets', async () => {
    const { hash } = await json('keys', 'create', '--name', 'audited');
    const { body } = await rotate(hash, {});
    const [entry] = (await json('audit', '--limit', '1')) as unknown as Row[];

    expect(entry).toMatchObject({ action: 'key.rotate', target: `key ${hash as string}` });
    expect(JSON.stringify(entry)).not.toContain((body.key as string).slice(20));
  });
});

describe('use limits', () => {
  it('are set for a key, a workspace and a member, and removed with "none"', async () => {
    await json('keys', 'create', '--name', 'narrow');
    const models = ['--models', 'sandbox/claude, sandbox/gpt*'];
    const key = await json('keys', 'set', '--key', 'narrow', ...models, '--networks', '192.0.2.0/24');
    const workspace = await json('workspaces', 'set', '--workspace', 'default', '--networks', '127.0.0.0/8,::1');
    const rates = ['--rpm', '60', '--tpm', '100000', '--parallel', '4'];
    const member = await json('members', 'set', '--member', 'ann', ...models, ...rates);

    const allowed = ['sandbox/claude', 'sandbox/gpt*'];
    expect(key).toMatchObject({ allowed_models: allowed, allowed_networks: ['192.0.2.0/24'] });
    expect(workspace).toMatchObject({ allowed_models: null, allowed_networks: ['127.0.0.0/8', '::1'] });
    expect(member).toMatchObject({ id: 'ann', allowed_models: allowed, allowed_networks: null });
    expect(member).toMatchObject({ rpm_limit: 60, tpm_limit: 100_000, parallel_limit: 4 });

    await json('workspaces', 'set', '--workspace', 'default', '--networks', 'none');
    await json('members', 'set', '--member', 'ann', '--models', 'none', '--rpm', 'none', '--parallel', 'none');
    expect(await json('keys', 'set', '--key', 'narrow', '--models', 'none')).toMatchObject({ allowed_models: null });
  });

  it('require tags, and refuse invalid ones', async () => {
    await json('keys', 'create', '--name', 'tagged');
    const required = ['--require-tag', 'project=lake, core', '--require-tag', 'team'];
    const key = await json('keys', 'set', '--key', 'tagged', ...required);
    const workspace = await json('workspaces', 'set', '--workspace', 'default', '--require-tag', 'user');
    const member = await json('members', 'set', '--member', 'ann', '--require-tag', 'project=lake');

    expect([key, workspace, member]).toMatchObject([
      { required_tags: { project: ['lake', 'core'], team: null } },
      { required_tags: { user: null } },
      { required_tags: { project: ['lake'] } },
    ]);
    for (const wrong of ['Project=lake', 'project=', 'project=lake,', '=lake']) {
      const { code, err } = await adminHere(directory, 'keys', 'set', '--key', 'tagged', '--require-tag', wrong);
      expect([wrong, code, err]).toEqual([wrong, 1, expect.stringMatching(/must be (a text of )?1 to/)]);
    }
    await json('workspaces', 'set', '--workspace', 'default', '--require-tag', 'none');
    await json('members', 'set', '--member', 'ann', '--require-tag', 'none');
    expect(await json('keys', 'set', '--key', 'tagged', '--require-tag', 'none')).toMatchObject({
      required_tags: null,
    });
  });
});
