import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isSpreadId } from '../../lambdas/platform/ids.ts';
import { adminJson } from '../support/admin.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

const REQUESTS = 12;

let directory: string;
let gateway: RunningGateway;
let before: string;
let spread: { id: string; requestId: string }[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-spread-'));
  gateway = await startGateway({ args: ['--data', directory] });
  before = (await ask()).id;
  await adminJson(directory, 'accounts', 'spread-records');
  // Functions cache callers with their accounts for some seconds, so the change takes effect later.
  await vi.waitUntil(async () => isSpreadId((await ask()).id), { timeout: 60_000, interval: 500 });
  spread = await Promise.all(Array.from({ length: REQUESTS }, ask));
  await Promise.all([before, ...spread.map(({ id }) => id)].map((id) => finalGeneration(gateway, id)));
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true });
});

async function ask(): Promise<{ id: string; requestId: string }> {
  const body = { model: 'sandbox/gpt', max_tokens: 20, messages: [said('Hi', 'delay=0')] };
  const response = await post(gateway, '/messages', body);
  const { id } = (await response.json()) as { id: string };
  expect(response.headers.get('x-generation-id')).toBe(id);
  return { id, requestId: response.headers.get('request-id')! };
}

describe('an account whose records are spread in the middle of a day', () => {
  it('lists requests from before and after in order', async () => {
    const { body } = await manage(gateway, 'GET', '/generations?limit=100');

    const listed = (body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining([before, ...spread.map(({ id }) => id)]));
    expect(listed).toEqual(listed.toSorted().toReversed());
  });

  it.each(['before', 'after'])('finds a record from %s by its id', async (when) => {
    const id = when === 'before' ? before : spread[0]!.id;

    const { data } = (await (await get(gateway, `/generation?id=${id}`)).json()) as { data: { id: string } };

    expect(data.id).toBe(id);
    expect((await manage(gateway, 'GET', `/generations/${id}`)).status).toBe(200);
  });

  it("shows the operator a record by the request's id", async () => {
    const { id, requestId } = spread[0]!;

    expect(await adminJson(directory, 'generations', 'show', requestId)).toMatchObject({ id });
  });

  it('records refusals with the id in the answer', async () => {
    const response = await post(gateway, '/messages', { model: 'nobody/nothing', max_tokens: 1, messages: [] });

    const id = response.headers.get('x-generation-id')!;
    expect(isSpreadId(id)).toBe(true);
    await expect.poll(async () => (await manage(gateway, 'GET', `/generations/${id}`)).status).toBe(200);
  });

  it('has books that add up', async () => {
    expect(await adminJson(directory, 'reconcile', '--deep')).toMatchObject({ sound: true });
  });

  it('shows the time of the change, also after a second command', async () => {
    const { records_spread_since: since } = await adminJson(directory, 'accounts', 'spread-records');

    expect(Date.parse(since as string)).toBeLessThan(Date.now());
    expect(await adminJson(directory, 'accounts', 'spread-records')).toMatchObject({ records_spread_since: since });
    expect(await adminJson(directory, 'accounts', 'list')).toMatchObject([{ records_spread_since: since }]);
  });
});
