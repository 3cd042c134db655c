import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenRouter } from '@openrouter/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { documentedOperations, documentedResponse, misfit } from '../support/openapi.ts';

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-activity-'));
  gateway = await startGateway({ args: ['--data', directory, '--now', '2026-12-31T23:59:46Z'] });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const activity = async (query = '') => (await manage(gateway, 'GET', `/activity${query}`)).body;

it('GET /activity has a day after its end, with requests that were still running then', async () => {
  const ask = (directives: string) =>
    post(gateway, '/messages', { model: 'sandbox/claude', messages: [said('Hi', directives)] });
  const answers = await Promise.all([ask('delay=0'), ask('delay=0')]);
  const failures = await Promise.all(Array.from({ length: 5 }, () => ask('error=500')));
  expect(failures.map(({ status }) => status)).toEqual(Array(5).fill(502));
  const [id, secondId] = (await Promise.all(answers.map((answer) => answer.json() as Promise<{ id: string }>))).map(
    (message) => message.id,
  ) as [string, string];
  const before = await finalGeneration(gateway, id);
  expect(before['created_at']).toMatch(/^2026-12-31/);
  const usage = Number(before['total_cost']) + Number((await finalGeneration(gateway, secondId))['total_cost']);
  await Promise.all(failures.map(({ headers }) => finalGeneration(gateway, headers.get('x-generation-id')!)));
  expect(await activity()).toEqual({ data: [] });
  const ofToday = expect.closeTo(usage, 12) as number;
  expect(await activity('/models')).toEqual({
    data: [{ model: 'sandbox/claude', usage_daily: ofToday, usage_weekly: ofToday, usage_monthly: ofToday }],
    counted_from: '2026-12-31',
  });
  expect((await activity('?date=2026-12-31')).error.metadata.field).toBe('date');

  // This request is admitted before midnight, and settled well after the day was rolled up.
  const streaming = post(gateway, '/messages', {
    model: 'sandbox/gpt',
    messages: [said('Still here', 'delay=250 tokens=110')],
  });
  await expect.poll(async () => (await activity()).data, { interval: 200 }).toHaveLength(1);
  expect((await activity('?date=2026-12-31')).data).toMatchObject([
    // Five of the seven requests failed at the provider and cost nothing.
    { date: '2026-12-31', model: 'sandbox/claude', requests: 2, usage: expect.closeTo(usage, 12) as number },
  ]);

  const late = (await (await streaming).json()) as { id: string; usage: { cost: number } };
  await expect.poll(async () => (await activity()).data, { interval: 200 }).toHaveLength(2);
  expect((await activity('?date=2026-12-31&group_by=workspace')).data[1]).toMatchObject({
    date: '2026-12-31',
    model: 'sandbox/gpt',
    requests: 1,
    usage: late.usage.cost,
    workspace_id: gateway.workspaceId,
  });
  // The request was admitted on the day before, in another month, but in the same week.
  const { data: models } = await activity('/models');
  expect(models).toHaveLength(2);
  expect(models).toContainEqual({
    model: 'sandbox/gpt',
    usage_daily: 0,
    usage_weekly: late.usage.cost,
    usage_monthly: 0,
  });
  await checkAgainstReferees(id);
});

/** Checks responses that exist only after a day has ended, with a client's validators and with the API document. */
async function checkAgainstReferees(generationId: string): Promise<void> {
  const options = { serverURL: gateway.baseUrl, retryConfig: { strategy: 'none' as const } };
  const sdk = new OpenRouter({ ...options, apiKey: gateway.managementKey });
  const { data } = await sdk.analytics.getUserActivity({ date: '2026-12-31' });
  expect(data).toHaveLength(2);
  const answers = {
    'GET /activity': await activity('?group_by=workspace'),
    'GET /activity/models': await activity('/models'),
    'GET /generation': await (await get(gateway, `/generation?id=${generationId}`)).json(),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const { operation } = documentedOperations.find((documented) => documented.name === name)!;
    const { schema } = documentedResponse(operation, 200)!.content!['application/json']!;
    expect(misfit(schema, answer)).toBeUndefined();
  }
}
