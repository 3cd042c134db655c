import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readCounter } from '../../lambdas/store/counters/counters.ts';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { admin } from '../support/admin.ts';
import { post, said, startGateway, type RunningGateway, type StartOptions } from '../support/gateway.ts';
import { eventually } from '../support/eventually.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(options: StartOptions): Promise<RunningGateway> {
  const gateway = await startGateway(options);
  ends.push(() => gateway.stop());
  return gateway;
}

const answers = (url: string) =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

it('the server of --web ends with a killed gateway, so the next start settles only ended streams', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-server-'));
  ends.push(async () => rmSync(directory, { recursive: true, force: true }));
  const dynamodb = await startDynamodb(undefined);
  ends.push(dynamodb.stop);
  const options = { args: ['--data', directory, '--web'], env: { DYNAMODB_ENDPOINT: dynamodb.endpoint } };
  const first = await start(options);
  const { key, hash } = await admin(directory, 'keys', 'create', '--name', 'limited', '--limit', '500');
  const body = {
    model: 'sandbox/claude',
    max_tokens: 1_000,
    stream: true,
    messages: [said('Go', 'tokens=900 delay=20')],
  };
  const stream = await post({ ...first, baseUrl: first.webUrl, key: key as string }, '/messages', body);
  const received = stream.text().catch(() => 'cut off');

  await first.kill();
  const second = await start(options);

  await eventually(async () => expect(await answers(first.webUrl)).toBe(false));
  // The sandbox ends with the gateway, so the server may have had time for an error event.
  expect(await received).not.toMatch(/message_stop|"cost"/);
  const counter = await readCounter(second.table(), { kind: 'key', id: hash as string });
  expect(counter.spent('lifetime').isZero).toBe(false);
  expect(counter.committed('lifetime')).toEqual(counter.spent('lifetime'));
});
