import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects, wires, type WireName } from '../support/dialects.ts';
import { entriesIn } from '../support/long-runs.ts';
import { startHostileGateway, type Aftermath, type Attack, type HostileGateway } from '../support/hostile-gateway.ts';
import { eventually } from '../support/eventually.ts';

/**
 * Whatever usage a provider reports, the cost never exceeds the bound of the prompt and max_tokens, and no answer is
 * free by accident.
 */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const WORDS = 'Twelve bytes';
const MAX_TOKENS = 200;

/** Attacks with a provider that reports `startUsage`, twelve bytes of text, and `endUsage`. Both are JSON texts. */
function told(wire: WireName, startUsage: string, endUsage: string, more: Partial<Attack> = {}): Promise<Aftermath> {
  return hostile.attack({
    wire,
    limitRub: 100_000,
    behavior: async ({ begin, send, finish, dialect }) => {
      await begin();
      await send(dialect.opening(startUsage) + dialect.text(WORDS));
      await send(dialect.reason(endUsage) + dialect.stop);
      await finish();
    },
    ...more,
  });
}

function toldOutput(wire: WireName, output: string | undefined, more?: Partial<Attack>): Promise<Aftermath> {
  return wire === 'anthropic'
    ? told(wire, dialects[wire].usage({ prompt: '10', output: '1' }), dialects[wire].usage({ output }), more)
    : told(wire, '', dialects[wire].usage({ prompt: '10', output }), more);
}

function toldInput(wire: WireName, prompt: string | undefined): Promise<Aftermath> {
  return wire === 'anthropic'
    ? told(wire, dialects[wire].usage({ prompt, output: '1' }), dialects[wire].usage({ output: '5' }))
    : told(wire, '', dialects[wire].usage({ prompt, output: '5' }));
}

const tokens = ({ generation }: Aftermath) => ({
  prompt: Number(generation['tokens_prompt']),
  completion: Number(generation['tokens_completion']),
});

/** The client's last usage must have whole numbers, and the charged cost. */
function expectHonestUsage({ message, body, cost }: Aftermath): void {
  const usage = message!['usage'] as Record<string, unknown>;
  for (const field of ['input_tokens', 'output_tokens']) {
    expect(
      Number.isSafeInteger(usage[field]) && (usage[field] as number) >= 0,
      `${field}: ${String(usage[field])}`,
    ).toBe(true);
  }
  expect(/"cost":([\d.]+)/.exec(body)?.[1]).toBe(cost.toString());
}

async function expectCapped(aftermath: Aftermath): Promise<void> {
  expect(aftermath.generation).toMatchObject({ capped: true });
  await eventually(() => expect(hostile.alarms('usage beyond the hold', aftermath)).toHaveLength(1));
}

/** Values that are not exact integers of at least 0. */
const noCounts = ['1e400', '1e300', '9007199254740993', '-5', '"7"', 'null', '10.5', '{}', '[]', 'true', undefined];
const absurdCounts = ['217', '5000', '1e15'];

describe.each(wires)('output that a provider on %s reports', (wire) => {
  it.concurrent.each(entriesIn(noCounts, { ofWhichAlways: 5 }))('as %s is counted by the gateway', async (value) => {
    const aftermath = await toldOutput(wire, value);
    expect(aftermath).toMatchObject({ status: 200, text: WORDS, generation: { estimated: true } });
    const { prompt, completion } = tokens(aftermath);
    expect(prompt).toBe(10);
    expect(completion).toBeGreaterThanOrEqual(3);
    expect(completion).toBeLessThanOrEqual(12);
    expectHonestUsage(aftermath);
  });

  it.concurrent('as zero is ignored if there is an answer', async () => {
    const aftermath = await toldOutput(wire, '0');
    expect(aftermath.generation).toMatchObject({ estimated: true });
    expect(tokens(aftermath).completion).toBeGreaterThanOrEqual(3);
    expectHonestUsage(aftermath);
  });

  it.concurrent.each(absurdCounts)('as %s of 200 is charged as 200, with an alarm', async (value) => {
    const aftermath = await toldOutput(wire, value);
    expect(aftermath).toMatchObject({ status: 200, text: WORDS });
    expect(tokens(aftermath)).toEqual({ prompt: 10, completion: MAX_TOKENS });
    // The cost is 10 × 0.0001 + 200 × 0.01.
    expect(aftermath.cost.toString()).toBe('2.001');
    expectHonestUsage(aftermath);
    await expectCapped(aftermath);
  });

  it.concurrent('as a few tokens above 200 is charged as 200, without an alarm', async () => {
    const aftermath = await toldOutput(wire, '201');
    expect(aftermath.generation).toMatchObject({ capped: true });
    expect(aftermath.cost.toString()).toBe('2.001');
    expect(hostile.alarms('usage beyond the hold', aftermath)).toEqual([]);
  });

  it.concurrent('as 200 of 200 is charged without an alarm', async () => {
    const aftermath = await toldOutput(wire, '200');
    expect(aftermath.cost.toString()).toBe('2.001');
    expect(aftermath.generation['capped'] ?? false).toBe(false);
    expect(hostile.alarms('usage beyond the hold', aftermath)).toEqual([]);
  });

  it.concurrent('in a stream is bounded as well', async () => {
    const aftermath = await toldOutput(wire, '1e15', { stream: true });
    expect([aftermath.text, aftermath.cost.toString()]).toEqual([WORDS, '2.001']);
    await expectCapped(aftermath);
  });

  it.concurrent('twice counts as the larger number', async () => {
    const aftermath = await hostile.attack({
      wire,
      maxTokens: 10_000,
      behavior: async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.opening() + dialect.text(WORDS));
        await send(
          dialect.reason(dialects[wire].usage({ prompt: '10', output: '5000' })) +
            dialect.reason(dialects[wire].usage({ prompt: '10', output: '1' })) +
            dialect.stop,
        );
        await finish();
      },
    });
    expect(tokens(aftermath)).toEqual({ prompt: 10, completion: 5_000 });
  });
});

describe.each(wires)('a prompt that a provider on %s counts', (wire) => {
  it.concurrent.each(entriesIn([...noCounts, '0'], { ofWhichAlways: 6 }))(
    'as %s is counted by the gateway',
    async (value) => {
      const aftermath = await toldInput(wire, value);
      expect(aftermath).toMatchObject({ status: 200, text: WORDS, generation: { estimated: true } });
      const { prompt, completion } = tokens(aftermath);
      expect(prompt).toBeGreaterThan(0);
      expect(completion).toBe(5);
      expectHonestUsage(aftermath);
    },
  );

  it.concurrent.each(['1e15', '150000'])('as %s is charged at its upper bound', async (value) => {
    const aftermath = await toldInput(wire, value);
    expect(aftermath.status).toBe(200);
    expect(tokens(aftermath).prompt).toBeGreaterThan(500);
    expect(tokens(aftermath).prompt).toBeLessThan(4_000);
    expectHonestUsage(aftermath);
    await expectCapped(aftermath);
  });
});

/** The last value states whether the report exceeds the possible usage. */
const odd: [WireName, string, string, boolean][] = [
  ['anthropic', '{"input_tokens":10,"cache_read_input_tokens":1e15}', '{"output_tokens":5}', true],
  ['anthropic', '{"input_tokens":10,"cache_read_input_tokens":-4}', '{"output_tokens":5}', false],
  ['anthropic', '{"input_tokens":10,"cache_read_input_tokens":"4"}', '{"output_tokens":5}', false],
  ['anthropic', '{"input_tokens":10,"cache_creation_input_tokens":1e15}', '{"output_tokens":5}', true],
  ['anthropic', '{"input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":1e15}}', '{"output_tokens":5}', true],
  ['anthropic', '{"input_tokens":10,"cache_creation":"all"}', '{"output_tokens":5}', false],
  ['anthropic', '{"input_tokens":10}', '{"output_tokens":5,"input_tokens":1e15}', true],
  ['anthropic', '{"input_tokens":10}', '{"output_tokens":5,"output_tokens_details":{"thinking_tokens":1e15}}', false],
  ['anthropic', '{"input_tokens":10}', '{"output_tokens":5,"output_tokens_details":7}', false],
  ['anthropic', '{"input_tokens":10}', '{"output_tokens":5,"server_tool_use":{"web_search_requests":1e15}}', false],
  [
    'anthropic',
    '{"input_tokens":10}',
    '{"output_tokens":5,"iterations":[{"output_tokens":1e15},{"output_tokens":1}]}',
    true,
  ],
  [
    'anthropic',
    '{"input_tokens":10}',
    '{"output_tokens":5,"iterations":[{"output_tokens":-9e15},{"output_tokens":1}]}',
    false,
  ],
  ['openai-chat', '', '{"prompt_tokens":10,"completion_tokens":5,"total_tokens":1e15}', true],
  ['openai-chat', '', '{"prompt_tokens":10,"completion_tokens":5,"total_tokens":"x"}', false],
  [
    'openai-chat',
    '',
    '{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1e15}}',
    false,
  ],
  ['openai-chat', '', '{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":-7}}', false],
  [
    'openai-chat',
    '',
    '{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cache_write_tokens":1e15}}',
    false,
  ],
  [
    'openai-chat',
    '',
    '{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":1e15}}',
    false,
  ],
  [
    'openai-chat',
    '',
    '{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":"all"}}',
    false,
  ],
  ['openai-chat', '', '{"prompt_tokens":1e400,"completion_tokens":1e400}', false],
  ['openai-chat', '', '{}', false],
  ['bedrock-converse', '', '{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":1e15}', true],
  ['bedrock-converse', '', '{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":-4}', false],
  ['bedrock-converse', '', '{"inputTokens":10,"outputTokens":5,"cacheWriteInputTokens":1e15}', true],
  ['bedrock-converse', '', '{"inputTokens":10,"outputTokens":5,"cacheWriteInputTokens":"all"}', false],
  [
    'bedrock-converse',
    '',
    '{"inputTokens":10,"outputTokens":5,"cacheDetails":[{"ttl":"1h","inputTokens":1e15}]}',
    true,
  ],
  ['bedrock-converse', '', '{"inputTokens":10,"outputTokens":5,"totalTokens":1e15}', false],
  ['bedrock-converse', '', '{"inputTokens":1e400,"outputTokens":1e400}', false],
  ['bedrock-converse', '', '{}', false],
];

describe('reported usage', () => {
  it.concurrent.each(odd)('(%s) of %s and %s is charged, and within its bound', async (wire, start, end, isBeyond) => {
    const aftermath = await told(wire, start, end);
    expect(aftermath).toMatchObject({ status: 200, text: WORDS });
    expect(aftermath.cost.isZero).toBe(false);
    expect(tokens(aftermath).completion).toBeGreaterThan(0);
    expectHonestUsage(aftermath);
    if (isBeyond) await expectCapped(aftermath);
  });
});

it('invalid usage leaves the gateway and other clients unharmed', () => hostile.expectUnharmed());
