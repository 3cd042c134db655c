/** Values that clients send to OpenAI's APIs, and that other gateways refused or lost. */

import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { refused } from '../support/refused.ts';

const user = { role: 'user', content: 'Hi' };
const readChat = (more: object) => parseWith(chatRequestSchema, { model: 'm', messages: [user], ...more });
const readResponse = (more: object) => parseWith(responsesRequestSchema, { model: 'm', input: 'Hi', ...more });
const readers = { chat: readChat, responses: readResponse };
const parameters = { type: 'object', properties: {} };
const adaptive = expect.objectContaining({ type: 'adaptive' });

describe.each(Object.entries(readers))('thinking in a request of %s', (_, read) => {
  it.each<[object, object]>([
    // https://github.com/diegosouzapw/OmniRoute/issues/9947
    [{ effort: 'ultra' }, { thinking: adaptive, output_config: { effort: 'max' } }],
    // https://docs.docker.com/ai/docker-agent/guides/thinking/, https://github.com/BerriAI/litellm/discussions/10450
    [{ max_tokens: 0 }, { thinking: { type: 'disabled' } }],
    [{ max_tokens: -1 }, { thinking: adaptive }],
  ])('may be %j', (reasoning, expected) => {
    expect(read({ reasoning }).message).toMatchObject(expected);
  });

  it('may have the effort "default", as at Groq (https://github.com/earendil-works/pi/issues/1745)', () => {
    const { message } = read({ reasoning_effort: 'default' });

    expect(message).toMatchObject({ thinking: adaptive });
    expect(message).not.toHaveProperty('output_config');
  });

  it('has a budget and an effort if the client sends both in separate fields', () => {
    expect(read({ reasoning: { max_tokens: 2_000 }, reasoning_effort: 'low' }).message).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      output_config: { effort: 'low' },
    });
  });

  it('has a budget of at least 0, or -1', () => {
    expect(refused(() => read({ reasoning: { max_tokens: -2 } })).metadata).toMatchObject({
      field: 'reasoning.max_tokens',
    });
  });
});

describe('budgets in the forms of other services', () => {
  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 0 } }, { type: 'disabled' }],
    [{ thinking: { type: 'disabled', budget_tokens: 0 } }, { type: 'disabled' }],
    [{ thinking: { type: 'enabled', budget_tokens: -1 } }, adaptive],
    [{ enable_thinking: false, thinking_budget: 0 }, { type: 'disabled' }],
    [{ thinking_budget: -1 }, adaptive],
  ])('may be %j', (body, thinking) => {
    expect(readChat(body).message).toMatchObject({ thinking });
  });
});

describe.each(Object.entries(readers))('fields for other services in a request of %s', (_, read) => {
  it.each([
    // https://docs.litellm.ai/docs/proxy/user_keys, https://github.com/langfuse/langfuse-python/pull/1572
    { metadata: { trace_metadata: { step: 1 }, tags: ['team=core'], langgraph_step: 1, parent: null } },
    // https://github.com/pydantic/pydantic-ai/issues/4028
    { prompt_cache_retention: 'in-memory' },
  ])('have no effect: %j', (body) => {
    expect(read(body).message).toEqual(read({}).message);
  });

  it('may be the tool choice "any" of Mistral', () => {
    const tool = { type: 'function', name: 'look', parameters };

    expect(read({ tools: [tool], tool_choice: 'any' }).message.tool_choice).toEqual({ type: 'any' });
  });
});

/** Codex sends such messages (https://github.com/can1357/oh-my-pi/issues/10956). */
describe.each([
  ['chat', (messages: object[]) => readChat({ messages })],
  ['responses', (input: object[]) => readResponse({ input })],
] as const)('a message without content in a request of %s', (_, read) => {
  it('is left out before another message', () => {
    const { messages, system } = read([
      { role: 'developer', content: null },
      { role: 'user', content: null },
      { role: 'assistant', content: null },
      user,
    ]).message;

    expect(system).toBeUndefined();
    expect(JSON.stringify(messages)).toBe(JSON.stringify(read([user]).message.messages));
  });

  it.each([null, '', []])('ends the turn of the model if the user sends it: %j', (content) => {
    const { messages } = read([user, { role: 'assistant', content: 'Hello.' }, { role: 'user', content }]).message;

    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(messages.at(-1))).toContain('(empty)');
  });
});

it('thinking that LangChain keeps in a message is thinking without a signature', () => {
  // https://github.com/langchain-ai/langchainjs/pull/11175
  const content = [
    { type: 'reasoning', reasoning: 'Hm.', index: 0 },
    { type: 'text', text: 'Hello.' },
  ];

  expect(readChat({ messages: [user, { role: 'assistant', content }, user] }).message.messages[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Hello.' },
    ],
  });
});

it('a part of a result that only OpenAI can read is left out', () => {
  // https://github.com/caozhiyuan/copilot-api/issues/339
  const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' };
  const encrypted = { type: 'encrypted_content', encrypted_content: 'gAAAAAB' };
  const resultOf = (output: object[]) => {
    const input = [user, call, { type: 'function_call_output', call_id: 'c1', output }];
    return (readResponse({ input }).message.messages[2]!.content[0] as { content?: unknown }).content;
  };

  expect(resultOf([{ type: 'input_text', text: 'Seen.' }, encrypted])).toEqual([{ type: 'text', text: 'Seen.' }]);
  expect(resultOf([encrypted])).toEqual([]);
});

const readPart = (part: object) => readChat({ messages: [{ role: 'user', content: [part] }] }).message;

describe('documents of a chat', () => {
  const pdf = 'data:application/pdf;base64,JVBERi0=';
  const block = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };

  it.each([
    // https://github.com/Portkey-AI/gateway/issues/827
    [{ type: 'image_url', image_url: { url: pdf } }, block],
    [{ type: 'image_url', image_url: pdf }, block],
    // https://github.com/BerriAI/litellm/issues/12384
    [{ type: 'file', file: { file_id: pdf, format: 'application/pdf' } }, block],
    [
      { type: 'file', file: { file_id: 'https://example.org/a.pdf', filename: 'a.pdf' } },
      { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' }, title: 'a.pdf' },
    ],
  ])('may be %j', (part, expected) => {
    expect(readPart(part).messages[0]!.content).toEqual([expected]);
  });

  it('are images with a type of their own in the input of a response', () => {
    const content = [{ type: 'input_image', image_url: pdf }];

    expect(readResponse({ input: [{ role: 'user', content }] }).message.messages[0]!.content).toEqual([block]);
  });

  it.each(['text/x-python', 'text/x-c++', 'application/x-yaml', 'application/xml', 'application/geo+json'])(
    'may be texts of the type %s',
    (type) => {
      const file = { filename: 'a', file_data: `data:${type};base64,0J/RgNC40LLQtdGC` };
      const source = { type: 'text', media_type: 'text/plain', data: 'Привет' };
      expect(readPart({ type: 'file', file }).messages[0]!.content).toEqual([{ type: 'document', source, title: 'a' }]);
    },
  );

  it.each([
    'image/svg+xml',
    'application/zip',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ])('may not be files of the type %s', (type) => {
    const part = { type: 'file', file: { file_data: `data:${type};base64,AAAA` } };
    expect(refused(() => readPart(part)).message).toContain('application/pdf');
  });

  it('may not be texts in another charset, whose letters would be lost', () => {
    const windows1251 = Buffer.from([0xcf, 0xf0, 0xe8]).toString('base64');
    const part = { type: 'file', file: { file_data: `data:text/csv;base64,${windows1251}` } };
    expect(refused(() => readPart(part)).message).toContain('its text must be UTF-8');
  });

  it('may not be ids of files', () => {
    const { message, metadata } = refused(() => readPart({ type: 'file', file: { file_id: 'file-abc' } }));

    expect(metadata).toMatchObject({ field: 'messages.0.content.0.file.file_id' });
    expect(message).toContain('stores no files');
  });
});

describe('images whose data URL has no usual type', () => {
  const png = 'iVBORw0KGgo=';
  const source = { type: 'base64', media_type: 'image/png', data: png };

  it.each(['', 'application/octet-stream', 'image/x-png', 'binary/octet-stream'])(
    'have the type of their bytes: %j',
    (type) => {
      const url = `data:${type};base64,${png}`;
      const content = [{ type: 'input_image', image_url: url }];
      const response = readResponse({ input: [{ role: 'user', content }] });
      for (const { messages } of [readPart({ type: 'image_url', image_url: { url } }), response.message]) {
        expect(messages[0]!.content).toEqual([{ type: 'image', source }]);
      }
    },
  );

  it.each(['AAAA', 'PHN2Zy8+'])('are refused if their bytes are of another type: %s', (data) => {
    const image_url = { url: `data:application/octet-stream;base64,${data}` };
    expect(refused(() => readPart({ type: 'image_url', image_url })).message).toContain('image/png');
  });
});
