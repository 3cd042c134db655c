/**
 * Claude Code with models other than Claude must shorten the conversation when a provider refuses a prompt as too long.
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isLeftOut, newDesk, runAgent, type Desk } from './agent.ts';
import { DONE, reader, READ_THEM, writeRecords } from './records.ts';
import type { Session } from './strict-provider.ts';
import { startWatchedGateway, type WatchedGateway } from './watched-gateway.ts';

/** DeepSeek also offers the Messages API, so its model tests that wire. */
const models = [
  'openai/gpt-4.1',
  'openai/gpt-5.5',
  'google/gemini-3.8-flash',
  'amazon/nova-2-lite',
  'deepseek/deepseek-v4-pro',
  'qwen/qwen3.7-max',
];
const SUMMARY = '<summary>Some of the records are read.</summary>';

let gateway: WatchedGateway;
let desk: Desk;

async function readRecords(model: string, contextTokens?: number) {
  const settings = gateway.configuration('claude-code', model, contextTokens);
  const line = settings.replace(
    /\nclaude$/,
    `\nclaude -p "${READ_THEM}" --output-format json --dangerously-skip-permissions`,
  );
  const { stdout, stderr } = await runAgent(line, desk, { GATEWAY_KEY: gateway.key, IS_SANDBOX: '1' });
  const last = stdout.trim().split('\n').at(-1)!;
  try {
    return JSON.parse(last) as { is_error: boolean; result: string };
  } catch {
    throw new Error(`Claude Code has said no result:\n${stdout}\n${stderr}`);
  }
}

/**
 * Returns a session in which the model reads all records.
 * @param breaksAt number of the answer that breaks off; afterwards, the model's context is smaller
 */
function session(maxTokens: number, breaksAt?: number): Session {
  const next = reader(desk, (path) => ({ name: 'Read', input: { file_path: path } }));
  let answers = 0;
  let limit = maxTokens;
  return {
    maxTokens: () => limit,
    turn: ({ lastUserText }) => {
      if (lastUserText.includes('followed by a <summary> block')) return { thinking: 'So.', text: SUMMARY };
      answers += 1;
      if (answers !== breaksAt) return next();
      limit = 45_000;
      return { text: 'One moment', breaks: true };
    },
  };
}

describe.skipIf(isLeftOut('claude'))('Claude Code', () => {
  beforeAll(async () => {
    gateway = await startWatchedGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    desk = newDesk();
    writeRecords(desk);
  });
  afterEach(() => desk.clear());

  it.each(models)('continues after a stream of %s was refused because the prompt is too long', async (model) => {
    const log = gateway.begin(session(60_000));

    expect(await readRecords(model)).toMatchObject({ is_error: false, result: DONE });
    expect(log.refusals).toEqual([]);
    expect(log.overflows.length).toBeGreaterThan(0);
  });

  it.each(models)('continues after a whole answer of %s was refused because the prompt is too long', async (model) => {
    // Claude Code requests an answer without streaming after a stream has broken off.
    const log = gateway.begin(session(60_000, 4));

    expect(await readRecords(model)).toMatchObject({ is_error: false, result: DONE });
    expect(log.refusals).toEqual([]);
    const whole = gateway.sent().filter(({ path, isStreamed }) => path.startsWith('/v1/messages?') && !isStreamed);
    expect(whole.map(({ status }) => status)).toContain(400);
  });

  it('shortens the conversation in time if its settings have the context of the model', async () => {
    const log = gateway.begin(session(200_000));

    expect(await readRecords('google/gemini-3.8-flash', 100_000)).toMatchObject({ is_error: false, result: DONE });
    expect(log.refusals).toEqual([]);
    expect(log.answered.some(({ lastUserText }) => lastUserText.includes('<summary> block'))).toBe(true);
  });
});
