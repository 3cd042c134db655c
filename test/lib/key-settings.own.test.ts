import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { adminHere } from '../support/admin.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

type Row = Record<string, unknown>;

const HOUR_MS = 60 * 60_000;

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-key-settings-'));
  // The gateway notices a disabled key at once, because callers are not cached.
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
  it('creates a key with the same settings, and disables the old one', async () => {
    const old = await json(
      'keys',
      'create',
      '--name',
      'server',
      '--limit',
      '50',
      '--limit-reset',
      'daily',
      '--member',
      'ann',
    );
    await json('keys', 'set', '--key', 'server', '--protect', 'email', '--block-training', 'true');
    const before = await shown(old);

    const made = await json('keys', 'rotate', '--key', 'server');

    expect(made).toMatchObject({ name: 'server', replaces: old['hash'], old_works_until: 'now' });
    const { name, limit, limit_reset, member_id, privacy, sensitive_data } = before;
    const same = { name, limit, limit_reset, member_id, sensitive_data };
    expect(await shown(made)).toMatchObject({ ...same, privacy: { ...(privacy as object), version: 1 } });
    expect(await shown(old)).toMatchObject({ name: 'server (replaced)', disabled: true });
    expect([(await ask(made['key'])).status, (await ask(old['key'])).status]).toEqual([200, 401]);
  });

  it('lets the old key work for the given time', async () => {
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

  it('transfers the remaining amount of a limit without resets', async () => {
    const old = await json('keys', 'create', '--name', 'once', '--limit', '10');
    const answer = await ask(old['key']);
    await answer.text();
    const client = { ...gateway, key: old['key'] as string };
    const { total_cost: spent } = await finalGeneration(client, answer.headers.get('x-generation-id')!);

    const made = await json('keys', 'rotate', '--key', 'once');

    expect(spent).toBeGreaterThan(0);
    expect(made['limits_rub']).toEqual({ lifetime: String(Money.parse('10').minus(Money.parseNumber(String(spent)))) });
  });

  it('replaces a management key as well', async () => {
    await json('keys', 'create', '--kind', 'management', '--name', 'ops');
    const made = await json('keys', 'rotate', '--key', 'ops');

    const response = await get({ ...gateway, key: made['key'] as string }, '/keys');
    expect(response.status).toBe(200);
  });
});
