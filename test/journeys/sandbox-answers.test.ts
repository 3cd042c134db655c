import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said, type GatewayClient } from '../support/gateway.ts';
import { readEvents } from '../support/sse.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

interface Answer {
  content: { type: string; text: string }[];
  stop_reason: string;
  stop_sequence: string | null;
  usage: Record<string, number>;
}

async function ask(model: string, more: object = {}): Promise<Answer> {
  const request = { model, max_tokens: 200, messages: [said('Hi', 'delay=0 tokens=20')], ...more };
  return (await (await post(gateway, '/messages', request)).json()) as Answer;
}

const models = ['sandbox/claude', 'sandbox/gpt', 'sandbox/gemini', 'sandbox/bedrock', 'sandbox/bedrock-claude'];

it('the record of an answer has the latency of the gateway itself', async () => {
  const request = { model: 'sandbox/claude', max_tokens: 20, messages: [said('Hi', 'delay=0 first=200')] };
  const answer = await post(gateway, '/messages', request);
  const { latency, overhead_ms: overhead } = await finalGeneration(gateway, answer.headers.get('x-generation-id')!);

  expect(overhead).toBeGreaterThanOrEqual(0);
  expect(Number(latency) - Number(overhead)).toBeGreaterThanOrEqual(190);
});

describe('a sandbox model', () => {
  it.each(models)('%s ends before a stop sequence', async (model) => {
    const { content } = await ask(model, { stop_sequences: ['word9', 'word5'] });

    expect(
      content
        .map(({ text }) => text)
        .join('')
        .trim(),
    ).toBe('word0 word1 word2 word3 word4');
  });

  it.each(['sandbox/claude', 'sandbox/bedrock-claude'])(
    '%s reports the stop sequence that it reached',
    async (model) => {
      const { stop_reason: reason, stop_sequence: sequence } = await ask(model, { stop_sequences: ['word9', 'word5'] });

      expect([reason, sequence]).toEqual(['stop_sequence', 'word5']);
    },
  );

  it('does not end without one of its stop sequences', async () => {
    const { stop_reason: reason, stop_sequence: sequence } = await ask('sandbox/claude', { stop_sequences: ['stop'] });

    expect([reason, sequence]).toEqual(['end_turn', null]);
  });

  describe.each([...models, 'sandbox/reasoner'])('%s, with deferred tools', (model) => {
    const tools = [
      { name: 'find', input_schema: { type: 'object' } },
      { name: 'write', input_schema: { type: 'object' }, defer_loading: true },
    ];
    const question = said('Hi', 'delay=0 tools=2');
    const calledBy = async (messages: object[]) => {
      const { content } = await ask(model, { tools, messages, max_tokens: 500 });
      return content.filter(({ type }) => type === 'tool_use') as unknown as { id: string; name: string }[];
    };

    it('calls loaded tools', async () => {
      const names = (await calledBy([question])).map(({ name }) => name);

      expect(names).toEqual(['find', 'find']);
    });

    it('calls a tool that a result refers to', async () => {
      const call = { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} };
      const reference = { type: 'tool_reference', tool_name: 'write' };
      const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [reference] };
      const before = [
        said('Find one'),
        { role: 'assistant', content: [call] },
        { role: 'user', content: [result] },
        { role: 'assistant', content: 'Found.' },
      ];

      const names = (await calledBy([...before, question])).map(({ name }) => name);

      expect(names).toEqual(['find', 'write']);
    });
  });

  it.each([...models, 'sandbox/reasoner'])('%s answers after an empty tool result', async (model) => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: null };
    const messages = [said('Find one'), { role: 'assistant', content: [call] }, { role: 'user', content: [result] }];
    const tools = [{ name: 'find', input_schema: { type: 'object' } }];

    const { stop_reason: reason } = await ask(model, { tools, messages });

    expect(reason).toBe('end_turn');
  });

  it('gives a structured answer that fits its schema', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const output_config = { format: { type: 'json_schema', schema } };

    const { content } = await ask('sandbox/claude', { output_config, messages: [said('Hi', 'delay=0')] });

    expect(JSON.parse(content[0]!.text)).toEqual({ name: expect.any(String) as string });
  });

  it.each([...models, 'sandbox/reasoner'])('%s gives a JSON object to chats that request one', async (model) => {
    const body = { model, response_format: { type: 'json_object' }, messages: [said('Hi', 'delay=0')] };
    const { choices } = (await (await post(gateway, '/chat/completions', body)).json()) as {
      choices: { message: { content: string } }[];
    };

    expect(JSON.parse(choices[0]!.message.content)).toEqual({ answer: expect.any(String) as string });
  });

  it('follows the directives of the user also before a system message', async () => {
    const messages = [said('Hi', 'delay=0 tokens=2'), { role: 'system', content: 'The sky is clear.' }];

    const { content } = await ask('sandbox/claude', { messages });

    expect(content[0]!.text).toBe('word0 word1 ');
  });
});

describe('the record of an answer', () => {
  it.each([
    ['sandbox/claude', 'end_turn'],
    ['sandbox/gpt', 'stop'],
    ['sandbox/reasoner', 'completed'],
    ['sandbox/gemini', 'STOP'],
    ['sandbox/bedrock', 'end_turn'],
  ])("has the provider's word for its end: %s, %s", async (model, native) => {
    const { id } = (await ask(model)) as unknown as { id: string };

    expect(await finalGeneration(gateway, id)).toMatchObject({
      finish_reason: 'end_turn',
      native_finish_reason: native,
    });
  });

  it("has the provider's word for its end also if the answer was cut", async () => {
    const { id } = (await ask('sandbox/gpt', { max_tokens: 5 })) as unknown as { id: string };

    expect(await finalGeneration(gateway, id)).toMatchObject({
      finish_reason: 'max_tokens',
      native_finish_reason: 'length',
    });
  });
});

describe('the tokens of a prompt', () => {
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

  it.each([...models, 'sandbox/reasoner'])('are reported in three counts on every wire: %s', async (model) => {
    const { usage } = await ask(model);

    expect(parts.map((part) => usage[part])).toEqual(parts.map(() => expect.any(Number) as number));
  });

  it.each(models)('are reported in three counts at the start of a stream: %s', async (model) => {
    const request = { model, max_tokens: 20, stream: true, messages: [said('Hi', 'delay=0')] };
    const [start] = await readEvents(await post(gateway, '/messages', request));

    const { usage } = (start as unknown as { message: Answer }).message;
    expect(parts.map((part) => usage[part])).toEqual(parts.map(() => expect.any(Number) as number));
  });
});

describe('a refusal has the remedy', () => {
  it('for a misspelled model', async () => {
    expect(await ask('cluade-sonnet-5')).toMatchObject({
      error: { message: 'There is no model "cluade-sonnet-5". Did you mean "anthropic/claude-sonnet-5"?' },
    });
  });

  it('for a provider without a key: the variable', async () => {
    expect(await ask('openai/gpt-5.5')).toMatchObject({
      error: { message: expect.stringContaining('a credential for OpenAI (OPENAI_API_KEY)') as string },
    });
  });

  it.each([
    ['gzip', 400, 'gzip'],
    ['compress', 415, 'zstd'],
  ])('for a body that does not match "content-encoding: %s"', async (encoding, status, words) => {
    const url = { ...gateway, baseUrl: `${gateway.streamingUrl}/v1` };
    const response = await post(url, '/messages', { model: 'sandbox/gpt' }, { 'content-encoding': encoding });

    expect(response.status).toBe(status);
    expect(await response.text()).toContain(words);
  });
});

describe('a compressed body', () => {
  const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };
  const request = JSON.stringify({ model: 'sandbox/claude', max_tokens: 20, messages: [said('Hi', 'delay=0')] });
  const send = (address: string, encoding: keyof typeof packers) =>
    fetch(`${address}/messages`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json', 'content-encoding': encoding },
      body: packers[encoding](request),
    });

  it.each(['gzip', 'deflate'] as const)('is read over the REST API, which decompresses it: %s', async (encoding) => {
    expect(await (await send(gateway.baseUrl, encoding)).json()).toMatchObject({ role: 'assistant' });
  });

  it.each(['br', 'zstd'] as const)(
    'is refused by the REST API, and read at the streaming address: %s',
    async (encoding) => {
      expect((await send(gateway.baseUrl, encoding)).status).toBe(415);
      const answer = await send(`${gateway.streamingUrl}/v1`, encoding);
      expect(await answer.json()).toMatchObject({ role: 'assistant' });
    },
  );
});

describe('a custom tool of a chat', () => {
  const chat = {
    model: 'sandbox/claude',
    messages: [said('Run it.', 'tool delay=0')],
    tools: [{ type: 'custom', custom: { name: 'run', description: 'Runs code.' } }],
  };

  it('is called by its name with a text, in one piece and in a stream', async () => {
    const whole = (await (await post(gateway, '/chat/completions', chat)).json()) as {
      choices: { message: { tool_calls: { type: string; custom: { name: string; input: string } }[] } }[];
    };
    const streamed = await (await post(gateway, '/chat/completions', { ...chat, stream: true })).text();

    const [call] = whole.choices[0]!.message.tool_calls;
    expect(call).toMatchObject({ type: 'custom', custom: { name: 'run', input: expect.any(String) } });
    expect(streamed).toContain('"type":"custom","custom":{"name":"run","input":""}');
    expect(streamed).toContain(`{"index":0,"custom":{"input":${JSON.stringify(call!.custom.input)}}}`);
    expect(streamed).not.toContain('arguments');
  });
});
