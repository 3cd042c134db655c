import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { adminHere } from '../support/admin.ts';
import { startAlertReceiver, type AlertReceiver } from '../support/alerts.ts';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

type Row = Record<string, unknown>;

let directory: string;
let gateway: RunningGateway;
let receiver: AlertReceiver;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-alerts-'));
  [gateway, receiver] = await Promise.all([startGateway({ args: ['--data', directory] }), startAlertReceiver()]);
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  receiver.received.length = 0;
});

const put = (path: string, body: unknown, headers?: Record<string, string>) =>
  manage(gateway, 'PUT', path, body, headers);
const shown = async (path: string) => (await manage(gateway, 'GET', path)).body['data'] as Row;

async function newKey(limit: number): Promise<{ hash: string; secret: string }> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'Поиск', limit, limit_reset: 'daily' });
  return { hash: body.data.hash as string, secret: body.key as string };
}

async function admin(...args: string[]): Promise<Row[]> {
  const { out, err } = await adminHere(directory, '--json', ...args);
  expect(err).toBe('');
  return [JSON.parse(out) as Row | Row[]].flat();
}

it('spending over a threshold sends a webhook and an e-mail, without any text of prompts', async () => {
  const { hash, secret } = await newKey(0.2);
  const settings = { thresholds: [5], webhook_url: receiver.url, email: 'team@example.com' };
  expect((await put(`/keys/${hash}/alerts`, settings)).status).toBe(200);

  const prompt = 'A secret prompt about penguins';
  const answer = await post({ ...gateway, key: secret }, '/messages', {
    model: 'sandbox/claude',
    max_tokens: 20,
    messages: [said(prompt, 'delay=0')],
  });
  expect(answer.status).toBe(200);

  await expect.poll(() => receiver.received.length, { interval: 200 }).toBe(1);
  const [{ type, data, body }] = receiver.received as [AlertReceiver['received'][number]];
  expect(type).toMatch(/^alert\.limit\./);
  expect(data).toMatchObject({ scope: 'key', id: hash, name: 'key "Поиск"', limit_rub: 0.2, threshold_percent: 5 });
  expect(data['console_url']).toBe(`${gateway.baseUrl}/console#/generations?key=${hash}`);
  const mailDirectory = join(directory, 'mails');
  const [mail] = await expect
    .poll(() => readdirSync(mailDirectory).map((name) => readFileSync(join(mailDirectory, name), 'utf8')))
    .toHaveLength(1)
    .then(() => readdirSync(mailDirectory).map((name) => readFileSync(join(mailDirectory, name), 'utf8')));
  expect(mail).toContain('To: team@example.com');
  expect(mail).toContain('The key "Поиск" has used 5 % of its daily limit.');
  for (const text of [body, mail!, gateway.log()]) {
    for (const part of ['penguins', secret, gateway.key]) expect(text).not.toContain(part);
  }
  const { body: listed } = await manage(gateway, 'GET', '/alerts/deliveries');
  expect(listed.data).toMatchObject([
    { set_on: 'key', owner_id: hash, state: 'delivered', attempts: 1 },
    { set_on: 'key', owner_id: hash, state: 'delivered', attempts: 1 },
  ]);
});

it('a limit that refuses requests sends one notice that it is exhausted', async () => {
  const { hash, secret } = await newKey(0.4);
  await put(`/keys/${hash}/alerts`, { thresholds: [100], webhook_url: receiver.url });
  const ask = (maxTokens: number) =>
    post({ ...gateway, key: secret }, '/messages', {
      model: 'sandbox/claude',
      max_tokens: maxTokens,
      messages: [said('Hi', 'delay=0')],
    });
  const statuses = new Set<number>();
  while (!statuses.has(402)) statuses.add((await ask(60)).status);
  for (let turn = 0; turn < 5; turn += 1) expect((await ask(60)).status).toBe(402);

  await expect.poll(() => receiver.received.length, { interval: 200 }).toBe(1);
  const [{ type, data }] = receiver.received as [AlertReceiver['received'][number]];
  expect(type).toBe('alert.limit.exhausted');
  expect(data).toMatchObject({ scope: 'key', id: hash, limit_rub: 0.4, threshold_percent: 100 });
  expect(Number(data['spent_rub'])).toBeLessThan(0.4);
  expect(Number(data['spent_rub']) + Number(data['refused_rub'])).toBeGreaterThan(0.4);
});

it('a limit that is lowered below the spending sends a notice without a further request', async () => {
  const { hash, secret } = await newKey(100);
  const answer = await post({ ...gateway, key: secret }, '/messages', {
    model: 'sandbox/claude',
    max_tokens: 20,
    messages: [said('Hi', 'delay=0')],
  });
  expect(answer.status).toBe(200);
  const usage = async () => (await shown(`/keys/${hash}`))['usage'];
  await expect.poll(usage, { interval: 200 }).toBeGreaterThan(0);
  await put(`/keys/${hash}/alerts`, { webhook_url: receiver.url });

  expect((await manage(gateway, 'PATCH', `/keys/${hash}`, { limit: 0.000001 })).status).toBe(200);

  await expect.poll(() => receiver.received.length, { interval: 200 }).toBe(1);
  expect(receiver.received[0]!.data).toMatchObject({ scope: 'key', id: hash, threshold_percent: 100 });
});

describe('settings of alerts', () => {
  it('are those of the nearest owner, and an empty body removes them', async () => {
    const { hash } = await newKey(1);
    const key = `/keys/${hash}/alerts`;
    expect(await shown(key)).toMatchObject({ set_on: null, thresholds: [50, 80, 95, 100], webhook_url: null });

    await put('/alerts', { email: 'all@example.com', low_balance_rub: 500 });
    await put('/workspaces/default/alerts', { thresholds: [90, 10, 90], webhook_url: receiver.url });
    expect(await shown(key)).toMatchObject({ set_on: 'workspace', thresholds: [10, 90], email: null });
    await put(key, { thresholds: [] });
    expect(await shown(key)).toMatchObject({ set_on: 'key', thresholds: [], webhook_url: null });

    await put(key, {});
    await put('/workspaces/default/alerts', {});
    expect(await shown(key)).toMatchObject({ set_on: 'account', email: 'all@example.com' });
    expect(await shown('/alerts')).toMatchObject({ low_balance_rub: 500, low_balance_percent: null });
    await put('/alerts', {});
    expect(await shown(key)).toMatchObject({ set_on: null });
  });

  it.each([
    {
      settings: {
        format: 'telegram',
        chat_id: '-1001',
        path: '/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage',
      },
      masked: '/bot123456789:…saw/sendMessage',
    },
    { settings: { format: 'slack', path: '/services/T00/B00/XXXXsecretXXXX' }, masked: '/services/T00/…/…XXX' },
  ])('mask the secret of $settings.format, and keep it if the masked URL is set', async ({ settings, masked }) => {
    const { path, ...more } = settings;
    const { hash } = await newKey(1);
    const key = `/keys/${hash}/alerts`;
    const { body } = await put(key, { ...more, webhook_url: `${receiver.url}${path}` });
    expect(body.data).toMatchObject({ webhook_url: `${receiver.url}${masked}` });
    expect(await shown(key)).toMatchObject({ webhook_url: `${receiver.url}${masked}` });

    const kept = await put(key, { ...more, thresholds: [90], webhook_url: `${receiver.url}${masked}` });
    expect(kept.status).toBe(200);
    const { hash: other } = await newKey(1);
    const refused = await put(`/keys/${other}/alerts`, { ...more, webhook_url: `${receiver.url}${masked}` });
    expect(refused).toMatchObject({ status: 400, body: { error: { metadata: { field: 'webhook_url' } } } });
  });

  it('are not overwritten by a client that has read an earlier version', async () => {
    const { hash } = await newKey(1);
    const key = `/keys/${hash}/alerts`;
    const first = await put(key, { email: 'a@example.com' }, { 'if-match': '"0"' });
    expect(first.headers.get('etag')).toBe('"1"');

    expect((await put(key, { email: 'b@example.com' }, { 'if-match': '"0"' })).status).toBe(412);
    expect(await shown(key)).toMatchObject({ email: 'a@example.com' });
  });

  it.each([
    { body: { webhook_url: 'https://10.0.0.1/alerts' }, field: 'webhook_url' },
    { body: { webhook_url: 'https://[fd00::1]/' }, field: 'webhook_url' },
    { body: { webhook_url: 'https://user:secret@example.com/' }, field: 'webhook_url' },
    { body: { webhook_url: 'file:///etc/passwd' }, field: 'webhook_url' },
    { body: { webhook_url: '' }, field: 'webhook_url' },
    { body: { format: 'slack' }, field: 'webhook_url' },
    { body: { format: 'telegram', webhook_url: 'http://127.0.0.1/' }, field: 'chat_id' },
    { body: { chat_id: '-100' }, field: 'chat_id' },
    { body: { thresholds: [0] }, field: 'thresholds.0' },
    { body: { thresholds: [50.5] }, field: 'thresholds.0' },
    { body: { email: 'nobody' }, field: 'email' },
    { body: { low_balance_rub: 1, low_balance_percent: 1 }, field: 'low_balance_percent' },
  ])('reject $body', async ({ body, field }) => {
    const { status, body: refused } = await put('/alerts', body);

    expect({ status, field: refused.error.metadata.field as string }).toEqual({ status: 400, field });
  });

  it('of a workspace or key have no balance', async () => {
    expect((await put('/workspaces/default/alerts', { low_balance_rub: 1 })).status).toBe(400);
  });
});

describe('the command line', () => {
  it('sets, shows and removes alerts, and sends a test', async () => {
    const [set] = await admin(
      'alerts',
      'set',
      '--workspace',
      'default',
      '--thresholds',
      '80',
      '--webhook',
      receiver.url,
    );
    expect(set).toMatchObject({ thresholds: '80', webhook_url: receiver.url });
    expect((await admin('alerts', 'show', '--workspace', 'default'))[0]).toMatchObject({ thresholds: '80' });

    const [sent] = await admin('alerts', 'test', '--workspace', 'default');

    expect(sent).toMatchObject({ type: 'alert.test', channel: 'webhook', state: 'pending' });
    const listed = await admin('alerts', 'deliveries', '--limit', '1');
    expect(listed[0]).toMatchObject({ id: sent!['id'] });
    const { err } = await adminHere(directory, 'alerts', 'retry', '--delivery', sent!['id'] as string);
    expect(err).toContain('The delivery is');
    await admin('alerts', 'set', '--workspace', 'default', '--remove');
    expect((await admin('alerts', 'show', '--workspace', 'default'))[0]).toMatchObject({ set_on: null });
  });

  it('records changes without the rest of the URL, which may be a secret', async () => {
    await admin('alerts', 'set', '--webhook', `${receiver.url}/bot12345`, '--format', 'telegram', '--chat', '1');

    const entries = JSON.stringify(await admin('audit', '--limit', '1'));

    expect(entries).toContain('alerts.set');
    expect(entries).not.toContain('bot12345');
    await admin('alerts', 'set', '--remove');
  });
});
