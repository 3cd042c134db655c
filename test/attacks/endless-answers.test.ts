import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects, attackedWires, type WireName } from '../support/dialects.ts';
import { startHostileGateway, type Aftermath, type Attack, type HostileGateway } from '../support/hostile-gateway.ts';
import { packFrame } from '../support/event-stream.ts';
import type { Exchange } from '../support/hostile-upstream.ts';

/** Providers that continue beyond max_tokens, for a key whose limit could not pay for that. */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const MAX_TOKENS = 200;
const LIMIT_RUB = 12;
/** This pause is well below the timeout for a silent provider. */
const PING_EVERY_MS = 300;
const KB = 1_024;
const MB = KB * KB;
/**
 * Maximum size of an answer: 64 bytes per token, which is more than tokens have on average, and 128 KB that may be
 * received before they are counted.
 */
const MAX_BYTES = 64 * MAX_TOKENS + 64 * KB + 64 * KB;

const attack = (wire: WireName, behavior: (exchange: Exchange) => unknown, more: Partial<Attack> = {}) =>
  hostile.attack({ wire, behavior, limitRub: LIMIT_RUB, maxTokens: MAX_TOKENS, ...more });

/** Event, or a function that returns an event for each round. */
type Outpouring = string | ((round: number) => string);

/** Sends one event after another, and returns whether the gateway has read all of them. */
async function flood({ send }: Exchange, outpouring: Outpouring, bytes: number): Promise<boolean> {
  let sent = 0;
  for (let round = 0; sent < bytes; round += 1) {
    const event = typeof outpouring === 'string' ? outpouring : outpouring(round);
    if (!(await send(event))) return false;
    sent += event.length;
  }
  return true;
}

/** The answer must be short, and look like an answer that reached max_tokens. */
function expectEndedByGateway({ status, stopReason, events, message, text, body }: Aftermath): void {
  expect([status, stopReason]).toEqual([200, 'max_tokens']);
  expect(text.length).toBeLessThanOrEqual(MAX_BYTES);
  // The body also contains the framing of the text.
  expect(body.length).toBeLessThanOrEqual(3 * MAX_BYTES);
  if (message) return;
  const opened = events.filter(({ type }) => type === 'content_block_start').length;
  expect(events.filter(({ type }) => type === 'content_block_stop')).toHaveLength(opened);
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop']);
}

const anthropicDelta = (delta: string, index = 0) =>
  dialects.anthropic.event(`{"type":"content_block_delta","index":${index},"delta":${delta}}`);
/** Returns the end of the previous block, and the start of this block. */
const anthropicBlock = (block: string, index = 1) =>
  dialects.anthropic.event(`{"type":"content_block_stop","index":${index - 1}}`) +
  dialects.anthropic.event(`{"type":"content_block_start","index":${index},"content_block":${block}}`);
const chatDelta = (delta: string) => dialects['openai-chat'].event(`{"choices":[{"index":0,"delta":${delta}}]}`);
const words = 'word '.repeat(200);
const toolBlock = anthropicBlock('{"type":"tool_use","id":"t","name":"f","input":{}}');
const bedrockDelta = (delta: string, index = 0) =>
  dialects['bedrock-converse'].event(`{"contentBlockIndex":${index},"delta":${delta}}`);
const bedrockCall = (index: number) =>
  packFrame(
    'contentBlockStart',
    `{"contentBlockIndex":${index},"start":{"toolUse":{"toolUseId":"t${index}","name":"f"}}}`,
  ).toString('latin1');
const callPiece = (piece: string) => chatDelta(`{"tool_calls":[{"index":0,${piece}}]}`);

async function pourOut(exchange: Exchange, bytes = 2 * MB): Promise<boolean> {
  await exchange.begin();
  await exchange.send(exchange.dialect.opening());
  return flood(exchange, exchange.dialect.text(words), bytes);
}

/** Texts that are repeated without end after an opening. */
const outpourings: [WireName, string, string, Outpouring][] = [
  ['anthropic', 'text', '', dialects.anthropic.text(words)],
  [
    'anthropic',
    'thinking',
    anthropicBlock('{"type":"thinking","thinking":"","signature":""}'),
    anthropicDelta(`{"type":"thinking_delta","thinking":"${words}"}`, 1),
  ],
  ['anthropic', 'arguments', toolBlock, anthropicDelta(`{"type":"input_json_delta","partial_json":"${words}"}`, 1)],
  ['anthropic', 'deltas of unknown types', '', anthropicDelta(`{"type":"novel_delta","novel":"${words}"}`)],
  [
    'anthropic',
    'text in the starts of blocks',
    '',
    (round) => anthropicBlock(`{"type":"text","text":"${words}"}`, round + 1),
  ],
  [
    'anthropic',
    'tool calls without arguments',
    '',
    (round) => anthropicBlock('{"type":"tool_use","id":"t","name":"f","input":{}}', round + 1),
  ],
  [
    'anthropic',
    'arguments in the starts of blocks',
    '',
    (round) => anthropicBlock(`{"type":"tool_use","id":"t","name":"f","input":{"a":"${words}"}}`, round + 1),
  ],
  ['openai-chat', 'text', '', dialects['openai-chat'].text(words)],
  ['openai-chat', 'reasoning', '', chatDelta(`{"reasoning_content":"${words}"}`)],
  ['openai-chat', 'refusals', '', chatDelta(`{"refusal":"${words}"}`)],
  [
    'openai-chat',
    'arguments',
    callPiece('"id":"t","function":{"name":"f","arguments":"["}'),
    callPiece(`"function":{"arguments":"\\"${words}\\","}`),
  ],
  [
    'openai-chat',
    'text after a call that is not complete',
    callPiece('"id":"t","function":{"name":"f","arguments":"["}'),
    chatDelta(`{"content":"${words}"}`),
  ],
  [
    'openai-chat',
    'arguments of a second call',
    callPiece('"id":"t","function":{"name":"f","arguments":"["}'),
    chatDelta(`{"tool_calls":[{"index":1,"id":"u","function":{"name":"g","arguments":"${words}"}}]}`),
  ],
  ['bedrock-converse', 'text', '', dialects['bedrock-converse'].text(words)],
  ['bedrock-converse', 'text of many blocks', '', (round) => bedrockDelta(`{"text":"${words}"}`, round)],
  ['bedrock-converse', 'thinking', '', bedrockDelta(`{"reasoningContent":{"text":"${words}"}}`)],
  ['bedrock-converse', 'arguments', bedrockCall(1), bedrockDelta(`{"toolUse":{"input":"${words}"}}`, 1)],
  ['bedrock-converse', 'tool calls without arguments', '', (round) => bedrockCall(round + 1)],
];

describe('an answer with two megabytes of', () => {
  it.concurrent.each(outpourings)('(%s) %s is ended at max_tokens', async (wire, _what, before, event) => {
    const aftermath = await attack(
      wire,
      async (exchange) => {
        const { begin, send, finish, dialect } = exchange;
        await begin();
        await send(dialect.opening() + before);
        await flood(exchange, event, 2 * MB);
        await send(dialect.reason() + dialect.stop);
        await finish();
      },
      { stream: true },
    );
    expectEndedByGateway(aftermath);
  });

  it.concurrent.each(attackedWires)('text over %s is ended also for a client that does not stream', async (wire) => {
    const aftermath = await attack(wire, (exchange) => pourOut(exchange));
    expectEndedByGateway(aftermath);
  });
});

/** Calls that never complete. The gateway holds back each later call until the calls before it are complete. */
const unfinishedCalls: [WireName, (index: number) => string][] = [
  [
    'openai-chat',
    (index) => chatDelta(`{"tool_calls":[{"index":${index},"id":"t${index}","function":{"name":"f","arguments":""}}]}`),
  ],
  ['bedrock-converse', bedrockCall],
];

const hundredFrom = (first: number, event: (index: number) => string) =>
  Array.from({ length: 100 }, (_, index) => event(first + index)).join('');

describe('an answer with calls that only begin', () => {
  it.concurrent.each(unfinishedCalls)('is not read further after max_tokens (%s)', async (wire, call) => {
    const isRead = Promise.withResolvers<boolean>();
    await attack(wire, async (exchange) => {
      await exchange.begin();
      await exchange.send(exchange.dialect.opening());
      isRead.resolve(flood(exchange, (round) => hundredFrom(100 * round, call), 16 * MB));
    });
    expect(await isRead.promise).toBe(false);
  });
});

describe.each(attackedWires)('an answer over %s', (wire) => {
  it.concurrent.each([true, false])('is not read further after max_tokens (streamed: %s)', async (stream) => {
    const isRead = Promise.withResolvers<boolean>();
    // The size exceeds all buffers between the provider and the client.
    await attack(wire, (exchange) => isRead.resolve(pourOut(exchange, 64 * MB)), { stream });
    expect(await isRead.promise).toBe(false);
  });

  it.concurrent('is ended at max_tokens also for a key without a limit', async () => {
    expectEndedByGateway(await attack(wire, (exchange) => pourOut(exchange), { limitRub: null, stream: true }));
  });

  it.concurrent.each([5, 120_000])('that continues after a report of %i tokens is ended', async (output) => {
    const ended = await attack(
      wire,
      async (exchange) => {
        const { begin, send, dialect, finish } = exchange;
        await begin();
        await send(dialect.opening() + dialect.text('Hello. '));
        await send(dialect.report(dialect.usage({ prompt: '10', output: String(output) })));
        await flood(exchange, dialect.text(words), 500 * KB);
        await send(dialect.stop);
        await finish();
      },
      { stream: true },
    );
    expect(ended.status).toBe(200);
    expect(ended.text.length).toBeLessThanOrEqual(MAX_BYTES);
    if (output > MAX_TOKENS) expect(ended.generation).toMatchObject({ capped: true });
  });

  it.concurrent.each([true, false])(
    'of 65 KB in one piece is charged at most max_tokens (streamed: %s)',
    async (stream) => {
      const { cost, generation } = await attack(
        wire,
        async ({ begin, send, dialect, finish }) => {
          const usage = dialect.usage({ prompt: '10', output: '16640' });
          await begin();
          await send(dialect.opening() + dialect.text('x'.repeat(65 * KB)) + dialect.reason(usage) + dialect.stop);
          await finish();
        },
        { stream },
      );
      expect(cost.toString()).toBe('2.001');
      expect(generation).toMatchObject({ capped: true });
    },
  );

  it.concurrent('of 65 KB in one piece without any usage is charged at most max_tokens', async () => {
    const { generation } = await attack(wire, async ({ begin, send, dialect, finish }) => {
      await begin();
      await send(dialect.opening() + dialect.text('x'.repeat(65 * KB)) + dialect.reason('{}') + dialect.stop);
      await finish();
    });
    expect(generation).toMatchObject({ estimated: true });
    expect(Number(generation['tokens_completion'])).toBe(MAX_TOKENS);
  });

  it.concurrent.each([true, false])(
    'that reports its end and then only pings counts as ended (streamed: %s)',
    async (stream) => {
      const ended = await attack(
        wire,
        async ({ begin, send, dialect }) => {
          await begin();
          await send(dialect.opening() + dialect.text('Hello.') + dialect.reason());
          while (await send(dialect.ping)) await sleep(PING_EVERY_MS);
        },
        { stream, patienceMs: 25_000 },
      );
      expect(ended).toMatchObject({ status: 200, text: 'Hello.', stopReason: 'end_turn', error: undefined });
      // The cost is 10 × 0.0001 + 5 × 0.01.
      expect(ended.cost.toString()).toBe('0.051');
    },
  );
});

it('endless answers leave the gateway and other clients unharmed', () => hostile.expectUnharmed());
