import Anthropic from '@anthropic-ai/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { said, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
let client: Anthropic;
beforeAll(async () => {
  gateway = await commonGateway();
  client = new Anthropic({ baseURL: gateway.anthropicUrl, apiKey: gateway.key, maxRetries: 0 });
});

const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  { name: 'get_time', input_schema: { type: 'object', properties: {} } },
];
const place = {
  type: 'object' as const,
  properties: { name: { type: 'string' }, country: { type: 'string' } },
  required: ['name', 'country'],
};
const nestedTool: Anthropic.Tool = {
  name: 'get_route',
  input_schema: { type: 'object', properties: { to: place, by: { type: 'string' } }, required: ['to', 'by'] },
};

const ask = (messages: Anthropic.MessageParam[], offered = tools) =>
  client.messages
    .stream({ model: 'sandbox/gemini', max_tokens: 2_000, thinking: { type: 'adaptive' }, tools: offered, messages })
    .finalMessage();

const question = said('Weather and time?\n@sandbox tools=2 delay=0');
const callsOf = ({ content }: Anthropic.Message) => content.filter((block) => block.type === 'tool_use');
const answerTo = (message: Anthropic.Message): Anthropic.MessageParam => ({
  role: 'user',
  content: callsOf(message).map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'fine' })),
});

function withNamesTurned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const turned = Object.entries(value).toReversed();
  return Object.fromEntries(turned.map(([name, inner]): [string, unknown] => [name, withNamesTurned(inner)]));
}

/** The sandbox refuses a first call without a signature, and a signature that does not match its part. */
describe('thought signatures', () => {
  it('are directly before the call that they belong to, the first of several', async () => {
    const { content, stop_reason } = await ask([question]);

    expect(content.map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'thinking',
      'thinking',
      'tool_use',
      'tool_use',
    ]);
    expect(stop_reason).toBe('tool_use');
  });

  it('are kept through a whole conversation with tools', async () => {
    const messages: Anthropic.MessageParam[] = [question];
    for (let round = 1; round <= 2; round += 1) {
      const calling = await ask(messages);
      expect(callsOf(calling)).toHaveLength(2);
      messages.push({ role: 'assistant', content: calling.content }, answerTo(calling));
      const answer = await ask(messages);
      expect(answer.content.at(-1)).toMatchObject({ text: expect.stringContaining('tool has answered') as string });
      messages.push({ role: 'assistant', content: answer.content }, question);
    }
  });

  it('are sent to the provider unchanged: if it refuses one on another call, the request is sent again without it', async () => {
    const calling = await ask([question]);
    const content = calling.content.map((block) =>
      block.type === 'tool_use' && block.name === 'get_weather' ? { ...block, input: { city: 'Тверь' } } : block,
    );

    const answer = await ask([question, { role: 'assistant', content }, answerTo(calling)]);

    expect(answer.content.at(-1)).toMatchObject({ text: expect.stringContaining('tool has answered') as string });
  });

  it('stay valid if a client sends the names in arguments back in another order', async () => {
    const calling = await ask([question], [nestedTool]);
    const content = calling.content.map((block) =>
      block.type === 'tool_use' ? { ...block, input: withNamesTurned(block.input) } : block,
    );
    expect(JSON.stringify(content)).not.toBe(JSON.stringify(calling.content));

    const answer = await ask([question, { role: 'assistant', content }, answerTo(calling)], [nestedTool]);

    expect(answer.stop_reason).toBe('end_turn');
  });

  it('are not required if a client drops the thinking of a conversation', async () => {
    const calling = await ask([question]);
    const content = calling.content.filter(({ type }) => type !== 'thinking');

    const answer = await ask([question, { role: 'assistant', content }, answerTo(calling)]);

    expect(answer.stop_reason).toBe('end_turn');
  });

  it('are not required if another model began the conversation', async () => {
    const calling = await client.messages.create({
      model: 'sandbox/gpt',
      max_tokens: 500,
      tools,
      messages: [question],
    });

    const answer = await ask([question, { role: 'assistant', content: calling.content }, answerTo(calling)]);

    expect(answer.stop_reason).toBe('end_turn');
  });
});
