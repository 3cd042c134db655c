import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { post, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
let client: OpenAI;
beforeAll(async () => {
  gateway = await commonGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});

const question = 'Which river flows through Moscow?';
const instructions = 'Answer in one sentence.';

describe('the tokens of an input', () => {
  it.each([
    ['sandbox/claude', {}],
    ['sandbox/gpt', { estimated: true }],
  ])('are the count of the same message: %s', async (model, more) => {
    const counted = await client.responses.inputTokens.count({ model, instructions, input: question });
    const body = { model, system: instructions, messages: [{ role: 'user', content: question }] };
    const message = (await (await post(gateway, '/messages/count_tokens', body)).json()) as { input_tokens: number };

    expect(message.input_tokens).toBeGreaterThan(5);
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: message.input_tokens, ...more });
  });

  it('include a whole conversation, with tools', async () => {
    const one = { model: 'sandbox/claude', input: question };
    const parameters = { type: 'object', properties: { city: { type: 'string', description: 'The name of a city.' } } };
    const tools = [{ type: 'function' as const, name: 'get_weather', parameters, strict: null }];
    const input = [
      { role: 'user' as const, content: question },
      { role: 'assistant' as const, content: 'The Moskva.' },
      { role: 'user' as const, content: 'And through Paris?' },
    ];

    const [short, long] = await Promise.all([
      client.responses.inputTokens.count(one),
      client.responses.inputTokens.count({ ...one, input, tools }),
    ]);

    expect(long.input_tokens).toBeGreaterThan(short.input_tokens);
  });

  it('are not counted for an unsupported field, an empty input or an unknown model', async () => {
    const refusal = client.responses.inputTokens.count({
      model: 'sandbox/claude',
      previous_response_id: 'resp_1',
      input: 'x',
    });

    await expect(refusal).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
    await expect(client.responses.inputTokens.count({ model: 'sandbox/claude', input: '' })).rejects.toMatchObject({
      status: 400,
      param: 'input',
    });
    await expect(client.responses.inputTokens.count({ model: 'sandbox/none', input: 'x' })).rejects.toMatchObject({
      status: 404,
    });
  });
});
