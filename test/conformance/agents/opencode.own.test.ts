/**
 * Tests of opencode with models whose providers report a prompt that is too long, each provider with its own error
 * message. opencode must shorten the conversation and continue.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isLeftOut, newDesk, runAgent, type Desk } from './agent.ts';
import { DONE, reader, READ_THEM, writeRecords } from './records.ts';
import type { Session } from './strict-provider.ts';
import { startWatchedGateway, type WatchedGateway } from './watched-gateway.ts';

const NOVA = 'amazon/nova-2-lite';
const CHAT = '@ai-sdk/openai-compatible';
/** APIs that opencode supports, by the packages that its settings name. */
const apis = [
  { api: 'chat completions', npm: CHAT, path: '/v1/chat/completions' },
  { api: 'messages', npm: '@ai-sdk/anthropic', path: '/v1/messages' },
  { api: 'responses', npm: '@ai-sdk/openai', path: '/v1/responses' },
];

let gateway: WatchedGateway;
let desk: Desk;

/** Lets opencode read the records, and returns the texts of its answer. */
async function readRecords({
  model = NOVA,
  npm = CHAT,
  contextTokens,
}: Partial<Record<'model' | 'npm', string>> & { contextTokens?: number }) {
  const settings = gateway.configuration('opencode', model, contextTokens).replace(CHAT, npm);
  writeFileSync(join(desk.work, 'opencode.json'), settings);
  const { stdout } = await runAgent(`opencode run --format json "${READ_THEM}"`, desk, { GATEWAY_KEY: gateway.key });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { type: string; part?: { text?: string } })
    .flatMap(({ type, part }) => (type === 'text' ? (part?.text ?? []) : []));
}

/** Returns a session in which the model reads all records. opencode requests titles and summaries without tools. */
function session(maxTokens: number): Session {
  const next = reader(desk, (path) => ({ name: 'read', input: { filePath: path } }));
  return {
    maxTokens: () => maxTokens,
    turn: ({ tools }) => (tools.length === 0 ? { text: 'Some of the records are read.' } : next()),
  };
}

describe.skipIf(isLeftOut('opencode'))('opencode', () => {
  beforeAll(async () => {
    gateway = await startWatchedGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    desk = newDesk();
    writeRecords(desk);
  });
  afterEach(() => desk.clear());

  it.each(apis)('continues with Amazon Nova over $api after a prompt was too long', async ({ npm, path }) => {
    const log = gateway.begin(session(60_000));

    expect(await readRecords({ npm })).toContain(DONE);
    expect(log.refusals).toEqual([]);
    expect(log.overflows.length).toBeGreaterThan(0);
    expect(new Set(gateway.sent().map((sent) => sent.path))).toEqual(new Set([path]));
  });

  it.each(['openai/gpt-5.5', 'google/gemini-3.8-flash'])(
    'continues with %s after a prompt was too long',
    async (model) => {
      const log = gateway.begin(session(60_000));

      expect(await readRecords({ model })).toContain(DONE);
      expect(log.refusals).toEqual([]);
      expect(log.overflows.length).toBeGreaterThan(0);
    },
  );

  it('shortens the conversation in time if its settings have the context of the model', async () => {
    const log = gateway.begin(session(200_000));

    expect(await readRecords({ contextTokens: 50_000 })).toContain(DONE);
    expect(log.refusals).toEqual([]);
    expect(log.answered.filter(({ tools }) => tools.length === 0).length).toBeGreaterThan(1);
  });
});
