import Anthropic from '@anthropic-ai/sdk';
import OldAnthropic from 'anthropic-sdk-0x';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, said, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'Weather of a city',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  { name: 'get_time', input_schema: { type: 'object', properties: {} } },
];

const clients = {
  'SDK 1.x': () => new Anthropic({ baseURL: gateway.anthropicUrl, apiKey: gateway.key, maxRetries: 0 }),
  'SDK 0.x': () =>
    new OldAnthropic({ baseURL: gateway.anthropicUrl, apiKey: gateway.key, maxRetries: 0 }) as unknown as Anthropic,
};

describe.each(Object.keys(clients) as (keyof typeof clients)[])('Anthropic %s', (version) => {
  describe.each(['sandbox/claude', 'sandbox/gpt', 'sandbox/gemini', 'sandbox/reasoner'])('with %s', (model) => {
    const ask = (content: Anthropic.MessageParam['content'], more: object = {}) => ({
      model,
      max_tokens: 500,
      messages: [{ role: 'user' as const, content }],
      ...more,
    });

    it('gets a text without streaming, and its price', async () => {
      const message = await clients[version]().messages.create(ask('Hello\n@sandbox delay=0'));

      expect(message).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' });
      expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('Hello') as string });
      expect(message.usage.output_tokens).toBeGreaterThan(5);
      expect((message.usage as unknown as { cost: number }).cost).toBeGreaterThan(0);
      expect(await finalGeneration(gateway, message.id)).toMatchObject({
        id: message.id,
        model,
        streamed: false,
        total_cost: (message.usage as unknown as { cost: number }).cost,
        tokens_completion: message.usage.output_tokens,
      });
    });

    it('gets the same text streamed', async () => {
      const stream = clients[version]().messages.stream(ask('Привет, мир!\n@sandbox delay=0'));
      let streamed = '';
      stream.on('text', (text) => (streamed += text));
      const message = await stream.finalMessage();

      expect(streamed).toContain('Привет, мир!');
      expect(message.content).toMatchObject([{ type: 'text', text: streamed }]);
      expect(await finalGeneration(gateway, message.id)).toMatchObject({ streamed: true, cancelled: false });
    });

    it('gets thinking with a signature, and can send it back', async () => {
      const client = clients[version]();
      const first = await client.messages.stream(ask('Think\n@sandbox think delay=0')).finalMessage();
      expect(first.content[0]).toMatchObject({
        type: 'thinking',
        thinking: expect.stringContaining('sandbox') as string,
        signature: expect.stringMatching(/./) as string,
      });

      const second = await client.messages.create({
        model: model === 'sandbox/claude' ? 'sandbox/gpt' : 'sandbox/claude',
        max_tokens: 200,
        messages: [said('Think'), { role: 'assistant', content: first.content }, said('And now?', 'delay=0')],
      });
      expect(second.stop_reason).toBe('end_turn');
    });

    it('gets a call of a forced tool', async () => {
      const message = await clients[version]().messages.create(
        ask('Go\n@sandbox delay=0', { tools, tool_choice: { type: 'tool', name: 'get_time' } }),
      );
      expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'get_time', input: {} });
    });

    it('gets the stop reason max_tokens', async () => {
      const message = await clients[version]().messages.create(
        ask('Long\n@sandbox tokens=50 delay=0', { max_tokens: 20 }),
      );
      expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 20 } });
    });

    it('gets the stop reason refusal', async () => {
      const message = await clients[version]().messages.create(ask('No\n@sandbox refuse delay=0'));
      expect(message.stop_reason).toBe('refusal');
    });

    it.each([
      [529, 'overloaded_error'],
      [429, 'rate_limit_error'],
      [400, 'invalid_request_error'],
    ])('throws a %d of the provider before the first byte as the same error', async (status, type) => {
      const error = await clients[version]()
        .messages.create(ask(`Fail\n@sandbox error=${status}`))
        .catch((caught: unknown) => caught);
      expect(error).toMatchObject({ status, type, requestID: expect.stringMatching(/^req_/) as string });
    });

    it.each([
      ['fail', 'overloaded_error'],
      ['break', 'api_error'],
    ])('throws an error inside a stream (%s)', async (directive, type) => {
      const stream = clients[version]().messages.stream(ask(`Fail\n@sandbox ${directive} delay=1`));
      const error = await stream.finalMessage().catch((caught: unknown) => caught);
      expect(error).toMatchObject({ type });
    });

    it('counts tokens', async () => {
      const counted = await clients[version]().messages.countTokens({
        model,
        messages: [said('Count these few words')],
      });
      expect(counted.input_tokens).toBeGreaterThan(3);
    });
  });

  it('throws an error that names the field that the gateway refuses', async () => {
    const client = clients[version]();
    const params = { model: 'sandbox/claude', max_tokens: 10, messages: [said('x')], plugins: [{ id: 'file-parser' }] };
    await expect(client.messages.create(params)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      error: { error: { metadata: { field: 'plugins.0.id' } } },
    });
    await expect(client.messages.create({ ...params, model: 'nobody/nothing' } as never)).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe('Anthropic SDK 1.x', () => {
  it('runs tools until it has an answer, without a stored conversation', async () => {
    const runner = new Anthropic({
      baseURL: gateway.anthropicUrl,
      apiKey: gateway.key,
      maxRetries: 0,
    }).beta.messages.toolRunner({
      model: 'sandbox/claude',
      max_tokens: 500,
      messages: [said('Weather?\n@sandbox tool delay=0')],
      tools: [{ ...tools[0]!, run: () => 'fine', parse: (input: unknown) => input }] as never,
    });

    const message = await runner.runUntilDone();

    expect(message.content.at(-1)).toMatchObject({ text: expect.stringContaining('tool has answered') as string });
  });

  it.each([
    [{ thread: { type: 'create' } }, {}],
    [{ betas: ['message-threads-2026-08-12'] }, {}],
    [{}, { 'anthropic-beta': 'message-threads-2026-08-12' }],
  ])('gets an error for stored conversations: %o %o', async (body, headers) => {
    const response = await fetch(`${gateway.baseUrl}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.key, ...headers },
      body: JSON.stringify({ model: 'sandbox/claude', max_tokens: 5, messages: [said('x')], ...body }),
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } },
    });
  });
});
