import { afterAll, beforeAll, expect, it } from 'vitest';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, type RunningGateway } from '../support/gateway.ts';
import { startHostileUpstream, type HostileUpstream } from '../support/hostile-upstream.ts';
import { manage } from '../support/manage.ts';

let directory: string;
let upstream: HostileUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-review-'));
  upstream = await startHostileUpstream();
  const catalog = join(directory, 'catalog');
  mkdirSync(join(catalog, 'models'), { recursive: true });
  writeFileSync(
    join(catalog, 'providers.json'),
    JSON.stringify({
      providers: [
        {
          id: 'claude-a',
          name: 'claude-a',
          wire: 'anthropic',
          base_url: upstream.url,
          credential: 'HOSTILE_KEY',
          data_policy: { logs_prompts: false, trains_on_prompts: false },
          quirks: { count_tokens: true },
        },
      ],
    }),
  );
  writeFileSync(
    join(catalog, 'models', 'rv.json'),
    JSON.stringify({
      models: [
        {
          id: 'rv/claude',
          permaslug: 'rv/claude-1',
          name: 'x',
          created: '2026-11-20',
          context_length: 200_000,
          input_modalities: ['text'],
          output_modalities: ['text'],
          endpoints: [
            {
              id: 'rv/claude/0',
              provider: 'claude-a',
              upstream_model: 'm',
              max_output_tokens: 100_000,
              pricing: { prompt: '0.0001', completion: '0.01' },
              quirks: { thinks_by_default: false },
            },
          ],
        },
      ],
    }),
  );
  gateway = await startGateway({
    args: ['--data', join(directory, 'data'), '--catalog', catalog],
    env: { HOSTILE_KEY: 'abcdefghijkl' },
  });
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  rmSync(directory, { recursive: true, force: true });
});

it.each([
  ['a limit of 0', 0, false],
  ['a limit that the answer alone exceeds', 0.01, false],
  ['a limit of 0 and a PDF', 0, true],
])('asks no provider to count for %s', async (_name, limit, hasPdf) => {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'test', limit });
  let counts = 0;
  const marker = upstream.behaves(async (x) => {
    counts += 1;
    return x.respond('200 OK', { 'content-type': 'application/json' }, '{"input_tokens":2000}');
  });
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
  const statuses = new Map<number, number>();
  for (let i = 0; i < 30; i += 1) {
    const response = await fetch(`${gateway.baseUrl}/messages`, {
      method: 'POST',
      headers: { 'x-api-key': (body as { key: string }).key, 'content-type': 'application/json' },
      body: JSON.stringify({
        max_tokens: 50,
        model: 'rv/claude',
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: `${marker} ${'word '.repeat(5000)}` }, ...(hasPdf ? [pdf] : [])],
          },
        ],
      }),
    });
    await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  console.log('COUNTS', _name, counts, 'for 30 requests', [...statuses]);
  expect(counts).toBeLessThan(5);
});
