import Anthropic from '@anthropic-ai/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, textModel } from '../support/catalog.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said, startGateway, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

/** Provider with a credential that the sandbox rejects. */
const misledProvider = {
  id: 'misled',
  name: 'Misled',
  wire: 'bedrock-converse',
  base_url_variable: 'GATEWAY_SANDBOX_BEDROCK_URL',
  credential: 'OPERATORS_WRONG_KEY',
  data_policy: { logs_prompts: false, trains_on_prompts: false },
};
const misledModel = textModel('test/signed', [
  { provider: 'misled', pricing: { prompt: '0.0001', completion: '0.0001' } },
]);

const client = () => new Anthropic({ baseURL: gateway.anthropicUrl, apiKey: gateway.key, maxRetries: 0 });

const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'Weather of a city',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    cache_control: { type: 'ephemeral' },
  },
  { name: 'get_time', input_schema: { type: 'object', properties: {} } },
];

describe.each(['sandbox/bedrock', 'sandbox/bedrock-claude'])('%s, with signed requests,', (model) => {
  const ask = (messages: Anthropic.MessageParam[], more: object = {}) => ({
    model,
    max_tokens: 4_000,
    messages,
    ...more,
  });

  it('runs a tool loop with thinking, which is sent back with its signature', async () => {
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
    const question = said('Weather and time?', 'think tools=2 delay=0');
    const first = await client()
      .messages.stream(ask([question], { tools, thinking }))
      .finalMessage();

    const calls = first.content.filter((block) => block.type === 'tool_use');
    expect(first.stop_reason).toBe('tool_use');
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
    expect(first.content[0]).toMatchObject({ signature: expect.stringMatching(/^sandbox/) as string });
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['get_weather', { city: 'Москва' }],
      ['get_time', {}],
    ]);

    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: '+5 °C' }));
    const conversation: Anthropic.MessageParam[] = [
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ];
    const second = await client().messages.stream(ask(conversation, { tools, thinking })).finalMessage();

    expect(second.stop_reason).toBe('end_turn');
    expect(second.content.at(-1)).toMatchObject({ text: expect.stringContaining('The tool has answered') as string });
  });

  it('charges its reported usage, with its cache separately', async () => {
    const message = await client().messages.create(ask([said('x'.repeat(800), 'cached=100 delay=0')]));

    expect(message.usage.cache_read_input_tokens).toBe(100);
    expect(await finalGeneration(gateway, message.id)).toMatchObject({
      model,
      tokens_completion: message.usage.output_tokens,
      total_cost: (message.usage as unknown as { cost: number }).cost,
    });
  });

  it('reports refusals and cuts by their stop reasons', async () => {
    const refusal = await client().messages.create(ask([said('No', 'refuse delay=0')]));
    const cut = await client().messages.create(ask([said('Long', 'tokens=50 delay=0')], { max_tokens: 7 }));

    expect([refusal.stop_reason, cut.stop_reason]).toEqual(['refusal', 'max_tokens']);
  });

  it.each([
    ['error=400', 400],
    ['error=403', 502],
    ['error=429', 429],
    ['error=503', 529],
  ])('reports "%s" as status %i', async (directives, status) => {
    const response = await post(gateway, '/messages', ask([said('Hi', directives)]));

    expect(response.status).toBe(status);
  });

  it('reports a failure in the middle of its stream as an error', async () => {
    const response = await post(gateway, '/messages', ask([said('Hi', 'fail=3 delay=0')], { stream: true }));

    expect(await response.text()).toContain('"type":"overloaded_error"');
  });
});

describe('requests signed with a wrong key', () => {
  it('are failures that concern the operator', async () => {
    const catalog = catalogDirectory([misledModel], [misledProvider]);
    const env = { OPERATORS_WRONG_KEY: 'SANDBOX:another-secret' };
    const misled = await startGateway({ env, args: ['--catalog', catalog.path] });
    try {
      const response = await post(misled, '/messages', {
        model: 'test/signed',
        max_tokens: 10,
        messages: [said('Hi', 'delay=0')],
      });

      expect(response.status).toBe(502);
      expect(await response.text()).toContain('refused the credential or account of the gateway (status 403)');
    } finally {
      await misled.stop();
      catalog.remove();
    }
  });
});
