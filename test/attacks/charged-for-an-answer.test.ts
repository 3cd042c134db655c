import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textModel } from '../support/catalog.ts';
import { dialects } from '../support/dialects.ts';
import { finalGeneration, said } from '../support/gateway.ts';
import type { Behavior } from '../support/hostile-upstream.ts';
import { askFor, generationId, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';

/** The tests check the cost of answers whose usage report is incomplete, or that differ from the request. */
let scripted: ScriptedGateway;
beforeAll(async () => {
  const pricing = { prompt: '0.0001', completion: '0.01' };
  const priced = { max_output_tokens: 100_000, pricing };
  const dearer = { ...priced, pricing: { ...pricing, completion: '0.02' } };
  const unseen = { quirks: { hidden_reasoning: true } };
  const first = { ...priced, provider: 'first' };
  const second = { ...dearer, provider: 'second' };
  const more = { context_length: 1_000_000, supported_parameters: ['structured_outputs', 'reasoning'] };
  scripted = await startScriptedGateway({
    providers: [
      { id: 'first', wire: 'openai-chat', timeouts: { first_byte_ms: 5_000 } },
      // This timeout is longer than the first two seconds, in which the gateway assumes no thinking.
      { id: 'second', wire: 'openai-chat', timeouts: { first_byte_ms: 3_000 } },
      { id: 'claude', wire: 'anthropic' },
    ],
    models: [
      textModel('test/gpt-o200k', [{ ...first, quirks: { tokenizer: 'o200k' } }], more),
      textModel('test/claude', [{ ...priced, provider: 'claude', quirks: { thinks_by_default: false } }], more),
      textModel('test/unseen-then-seen', [{ ...first, ...unseen }, second], more),
      textModel(
        'test/unseen-twice',
        [
          { ...first, ...unseen },
          { ...second, ...unseen },
        ],
        more,
      ),
    ],
    env: { OUTPUT_STEP_TOKENS: '100' },
  });
});
afterAll(() => scripted.stop());

const settled = (response: Response) => finalGeneration(scripted.gateway, generationId(response));

/** Reads only the beginning of a stream, disconnects, and returns the record with the cost. */
async function leftEarly(body: object): Promise<Record<string, unknown>> {
  const client = await scripted.withLimit(5_000);
  const leaving = new AbortController();
  const response = await askFor(client, { stream: true, ...body }, leaving.signal);
  await response.body!.getReader().read();
  leaving.abort();
  return settled(response);
}

const beginsOnly: Behavior = async ({ begin, send, closed, dialect }) => {
  await begin();
  await send(dialect.opening() + dialect.text('hello there'));
  await closed;
};

describe('an answer whose client disconnects', () => {
  it('is charged with the schema that was requested', async () => {
    const description = 'long words of a description here, '.repeat(10_000);
    const schema = { type: 'object', properties: { a: { type: 'string', description } } };

    const charged = await leftEarly({
      model: 'test/gpt-o200k',
      messages: [said(scripted.behaves(beginsOnly))],
      output_config: { format: { type: 'json_schema', schema } },
    });

    expect(charged['tokens_prompt']).toBeGreaterThan(10_000);
  });
});

/** Time of hidden thinking. The gateway estimates sixty tokens per second after the first two seconds. */
const THINKS_MS = 2_500;

const isFirst = (path: string) => path.startsWith('/first/');

describe.concurrent('an endpoint after a failed endpoint with hidden thinking', () => {
  it('is not charged if it is silent and has no hidden thinking', async () => {
    const client = await scripted.withLimit(5_000);
    const marker = scripted.behaves(({ path, respond, closed }) =>
      isFirst(path) ? respond('500 Oops', {}, '{}') : closed,
    );

    const response = await askFor(client, {
      model: 'test/unseen-then-seen',
      max_tokens: 1_000,
      messages: [said(marker)],
    });

    expect(await settled(response)).toMatchObject({
      total_cost: 0,
      provider_responses: [
        { provider_name: 'first', status: 500 },
        { provider_name: 'second', status: null },
      ],
    });
  });

  it('is not charged for the time of the first endpoint', async () => {
    const marker = scripted.behaves(async (exchange) => {
      if (!isFirst(exchange.path)) return beginsOnly(exchange);
      await sleep(THINKS_MS);
      return exchange.respond('500 Oops', {}, '{}');
    });

    const charged = await leftEarly({ model: 'test/unseen-twice', max_tokens: 1_000, messages: [said(marker)] });

    expect(charged['provider_responses']).toMatchObject([{ provider_name: 'first' }, { provider_name: 'second' }]);
    expect(charged['tokens_completion']).toBeLessThan(20);
  });
});

describe('a refusal after thinking', () => {
  it('is charged, although no text was written', async () => {
    const client = await scripted.withLimit(5_000);
    const { event, stop } = dialects.anthropic;
    const thinking = [
      '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}',
      `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"${'x'.repeat(5_000)}"}}`,
      '{"type":"content_block_stop","index":0}',
    ];
    const refusal =
      '{"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null},"usage":{"output_tokens":3000,"output_tokens_details":{"thinking_tokens":3000}}}';
    const marker = scripted.behaves(async ({ begin, send, finish }) => {
      await begin();
      await send([...thinking, refusal].map((json) => event(json)).join('') + stop);
      await finish();
    });

    const response = await askFor(client, {
      model: 'test/claude',
      max_tokens: 4_000,
      thinking: { type: 'adaptive' },
      messages: [said(marker)],
    });

    expect((await settled(response))['total_cost']).toBeGreaterThan(0);
  });
});

const tells =
  (tokens: number): Behavior =>
  async ({ begin, send, finish, dialect }) => {
    await begin();
    const usage = `{"prompt_tokens":10,"completion_tokens":${tokens},"total_tokens":${10 + tokens}}`;
    await send(dialect.opening() + dialect.text('hello') + dialect.reason(usage) + dialect.stop);
    await finish();
  };

const charged = async ({ limitRub, tokens }: { limitRub: number; tokens: number }) =>
  settled(
    await askFor(await scripted.withLimit(limitRub), {
      model: 'test/gpt-o200k',
      max_tokens: 300,
      messages: [said(scripted.behaves(tells(tokens)))],
    }),
  );

describe('more reported tokens than bytes, within max_tokens', () => {
  it('are charged in full if the limit has room, although less was held', async () => {
    // The cost is 10 × 0.0001 + 250 × 0.01.
    const generation = await charged({ limitRub: 50, tokens: 250 });
    expect(generation).toMatchObject({ total_cost: 2.501, tokens_completion: 250, capped: false });
  });

  it('are charged up to the hold if the limit has no room', async () => {
    const { total_cost: cost, capped } = await charged({ limitRub: 1.5, tokens: 250 });
    expect(cost).toBeLessThanOrEqual(1.5);
    expect(capped).toBe(true);
  });
});

describe('a few reported tokens above max_tokens', () => {
  it('raise the alarm also if the limit had no room for the answer', async () => {
    const { id } = await charged({ limitRub: 1.5, tokens: 305 });
    const alarms = scripted.gateway
      .log()
      .split('\n')
      .filter((line) => line.includes('usage beyond the hold'));
    expect(alarms.filter((line) => line.includes(String(id)))).toHaveLength(1);
  });
});
