import Anthropic from '@anthropic-ai/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
let client: Anthropic;
beforeAll(async () => {
  gateway = await commonGateway();
  client = new Anthropic({ baseURL: gateway.anthropicUrl, apiKey: gateway.key, maxRetries: 0 });
});

const MODEL = 'sandbox/reasoner';
const tools: Anthropic.Tool[] = [
  { name: 'get_weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
];
const question = (words: string) => said('Weather?', `${words} delay=0`);

const ask = (messages: Anthropic.MessageParam[], more: object = {}) =>
  client.messages.stream({ model: MODEL, max_tokens: 500, tools, messages, ...more }).finalMessage();

const resultOf = ({ content }: Anthropic.Message): Anthropic.MessageParam => ({
  role: 'user',
  content: content
    .filter((block) => block.type === 'tool_use')
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Sunny' })),
});

const thinkingIn = ({ content }: Anthropic.Message) => content.filter((block) => block.type === 'thinking');

/** Returns a signature in the gateway's form, around content that the provider did not write. */
const sealOf = (encrypted: string) => {
  const json = JSON.stringify({ id: 'rs_1', encrypted_content: encrypted });
  return `gw1.sandbox-responses.${Buffer.from(json).toString('base64url')}`;
};

describe('a provider with encrypted reasoning', () => {
  it('gets it back in a tool loop, which the sandbox checks', async () => {
    const asked = question('think tool');
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
    const call = await ask([asked], { thinking, max_tokens: 2_000 });

    expect(call.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(thinkingIn(call)[0]!.signature).toMatch(/^gw1\.sandbox-responses\./);

    const answer = await ask([asked, { role: 'assistant', content: call.content }, resultOf(call)], {
      thinking,
      max_tokens: 2_000,
    });
    expect(answer.stop_reason).toBe('end_turn');
    expect(answer.content.at(-1)).toMatchObject({ text: expect.stringContaining('tool has answered') as string });
  });

  it('gets its reasoning back although the client does not see it', async () => {
    const asked = question('hidden=40 tool');
    const call = await ask([asked]);
    expect(thinkingIn(call)).toMatchObject([{ thinking: '', signature: expect.stringMatching(/./) as string }]);

    const answer = await ask([asked, { role: 'assistant', content: call.content }, resultOf(call)]);
    expect(answer.stop_reason).toBe('end_turn');
  });

  it('answers a client that omits the reasoning', async () => {
    const asked = question('think tool');
    const call = await ask([asked]);
    const content = call.content.filter(({ type }) => type !== 'thinking');

    const answer = await ask([asked, { role: 'assistant', content }, resultOf(call)]);
    expect(answer.stop_reason).toBe('end_turn');
  });

  it('answers after an answer that was cut while the model was thinking', async () => {
    const asked = question('hidden=40');
    const cut = await ask([asked], { max_tokens: 20 });
    expect(cut).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 20 } });
    expect(cut.content.map(({ type }) => type)).toEqual(['thinking']);

    const answer = await ask([asked, { role: 'assistant', content: cut.content }, question('tokens=3')]);
    expect(answer.stop_reason).toBe('end_turn');
  });

  it('never gets the reasoning of another provider, nor passes its own to another', async () => {
    const asked = question('think tool');
    for (const [from, to] of [
      ['sandbox/claude', MODEL],
      [MODEL, 'sandbox/claude'],
      [MODEL, 'sandbox/gpt'],
    ]) {
      const call = await ask([asked], { model: from });
      expect(thinkingIn(call)).toHaveLength(1);
      const answer = await ask([asked, { role: 'assistant', content: call.content }, resultOf(call)], { model: to });
      expect(answer.stop_reason, `${from} to ${to}`).toBe('end_turn');
    }
  });

  it('answers without reasoning that it cannot read, and refuses an altered seal', async () => {
    const asked = question('think tool');
    const call = await ask([asked]);
    const altered = (signature: string) =>
      call.content.map((block) => (block.type === 'thinking' ? { ...block, signature } : block));

    const sendBack = (signature: string) =>
      ask([asked, { role: 'assistant', content: altered(signature) }, resultOf(call)]);

    // After the sandbox refuses the signature, the gateway sends the request again without it.
    expect((await sendBack(sealOf('AAAA.BBBB'))).stop_reason).toBe('end_turn');
    await expect(sendBack('gw1.sandbox-responses.AAAA')).rejects.toMatchObject({ message: /was altered/ });
  });
});

describe('a request with max_tokens 1', () => {
  it('is sent with the minimum of the provider, and charged for that', async () => {
    const probe = { model: MODEL, max_tokens: 1, messages: [said('Hi', 'tokens=50 delay=0')] };
    const response = await post(gateway, '/messages', probe);
    const answer = (await response.json()) as Anthropic.Message;

    expect(response.status).toBe(200);
    expect(answer).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 16 } });
    expect(await finalGeneration(gateway, answer.id)).toMatchObject({ tokens_completion: 16, capped: false });
  });
});
