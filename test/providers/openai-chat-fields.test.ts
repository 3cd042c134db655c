import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OpenaiChatQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, Message, MessagesRequest } from '../../lambdas/messages/types.ts';
import { encodeChatRequest } from '../../lambdas/providers/openai-chat/encode.ts';

const target = (quirks: OpenaiChatQuirks) => ({
  providerId: 'test',
  upstreamModel: 'up',
  maxOutputTokens: 1_000,
  supportedParameters: ['tools'],
  quirks,
});

const request = (more: object = {}): MessagesRequest => ({
  model: 'a/b',
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});

const encode = (more: object, quirks: OpenaiChatQuirks = {}) => encodeChatRequest(request(more), target(quirks));

const refusing = (field: string) => expect.objectContaining({ status: 400, metadata: { field } }) as Error;

describe('a field without a counterpart in chat completions', () => {
  it.each([
    ['max_token', { max_token: 5 }],
    ['user', { user: 'u' }],
    ['session_id', { session_id: 's' }],
    ['stop_server_tools_when', { stop_server_tools_when: [{}] }],
    ['output_config.task_budget', { output_config: { task_budget: { type: 'tokens', total: 1 } } }],
    ['messages.0.render_at', { messages: [{ role: 'system', content: 'x', render_at: 'end' }] }],
    ['tools.0.some_field', { tools: [{ name: 'n', some_field: true }] }],
    ['tool_choice.type', { tool_choice: { type: 'any' } }],
    [
      'messages.0.content.0.citations.enabled',
      { messages: [{ role: 'user', content: [documentWith({ citations: { enabled: true } })] }] },
    ],
  ])('is refused by its name: %s', (field, more) => {
    expect(() => encode(more)).toThrow(refusing(field));
  });

  it.each<object>([
    { cache_control: { type: 'ephemeral' } },
    { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
    { betas: ['claude-code-20250219'] },
    { diagnostics: { previous_message_id: null } },
    { service_tier: 'auto' },
    { speed: 'standard' },
    { inference_geo: 'global' },
    { metadata: { user_id: 'u', more: 1 } },
    { output_config: { task_budget: null } },
    { tool_choice: { type: 'none' } },
  ])('is left out if it is a hint that cannot change an answer: %j', (more) => {
    expect(encode(more)).toEqual(encode({}));
  });
});

const sampled = (more: object, quirks: OpenaiChatQuirks = { greedy_needs_top_p_of_1: true }) =>
  encodeChatRequest(request(more), { ...target(quirks), supportedParameters: ['temperature', 'top_p'] });

it('the top_p of a temperature of 0 is 1 where the provider requires it', () => {
  expect(sampled({ temperature: 0, top_p: 0.9 })).toMatchObject({ temperature: 0, top_p: 1 });
  expect(sampled({ temperature: 0 })).not.toHaveProperty('top_p');
  expect(sampled({ temperature: 0.1, top_p: 0.9 })).toMatchObject({ temperature: 0.1, top_p: 0.9 });
  expect(sampled({ temperature: 0, top_p: 0.9 }, {})).toMatchObject({ temperature: 0, top_p: 0.9 });
});

const keyed = (more: object) => encode(more, { prompt_cache_key: true })['prompt_cache_key'];

const sent = (key: true | 'session', session?: string) =>
  encodeChatRequest(request({ metadata: { user_id: 'u' } }), target({ prompt_cache_key: key }), session);

describe('a key of the prompt cache', () => {
  const beginning = { role: 'user', content: 'Hi' };

  it('is sent only to providers that need it', () => {
    expect(encode({ metadata: { user_id: 'u' } })).not.toHaveProperty('prompt_cache_key');
  });

  it("is a digest of the end user's id", () => {
    expect(keyed({ metadata: { user_id: 'u' } })).toBe(createHash('sha256').update('u').digest('hex'));
  });

  it('is a digest of the session that the client names', () => {
    const digest = createHash('sha256').update('s').digest('hex');
    expect(sent(true, 's')).toMatchObject({ prompt_cache_key: digest });
    expect(sent('session', 's')).toMatchObject({ prompt_cache_key: digest });
    expect(sent('session')).not.toHaveProperty('prompt_cache_key');
  });

  it('without an end user stays the same in all turns of a conversation, and only there', () => {
    const key = keyed({ system: 'S' });
    const later = [beginning, { role: 'assistant', content: 'Hello' }, { role: 'user', content: 'Go on' }];

    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(keyed({ system: 'S', messages: later })).toBe(key);
    expect(keyed({ system: 'T', messages: later })).not.toBe(key);
    expect(keyed({ system: 'S', messages: [{ role: 'user', content: 'Ho' }] })).not.toBe(key);
  });
});

function documentWith(more: object): Block {
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, ...more };
}

function functionOf(tool: object): Record<string, unknown> {
  const { tools } = encode({ tools: [{ name: 'n', ...tool }] }) as { tools: [{ function: Record<string, unknown> }] };
  return tools[0].function;
}

describe('a tool for chat completions', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const strict = { ...schema, required: ['a'], additionalProperties: false };

  it('is strict if its schema allows it, and refused otherwise', () => {
    expect(functionOf({ input_schema: strict, strict: true })).toMatchObject({ strict: true });
    expect(functionOf({ input_schema: schema })).not.toHaveProperty('strict');
    expect(() => functionOf({ input_schema: schema, strict: true })).toThrow(refusing('tools.0.strict'));
  });

  it('has its examples after its description', () => {
    const { description } = functionOf({ description: 'Looks.', input_examples: [{ a: 'b' }, { a: 'c' }] });
    expect(description).toBe('Looks.\n\nExamples of input:\n{"a":"b"}\n{"a":"c"}');
  });

  it('may have hints of how to cache and to stream', () => {
    const hints = {
      type: 'custom',
      cache_control: { type: 'ephemeral' },
      eager_input_streaming: true,
      defer_loading: false,
    };
    expect(functionOf({ input_schema: schema, ...hints })).toEqual(functionOf({ input_schema: schema }));
  });
});

const encoded = (messages: Message[], quirks: OpenaiChatQuirks = {}) => encode({ messages }, quirks)['messages'];

const thoughtAndCall = (id: string): Message => ({
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: `about ${id}`, signature: 'gw1.test' },
    { type: 'tool_use', id, name: 'x', input: {} },
  ],
});

describe('consecutive messages of one role', () => {
  it('keep their texts separate, and the texts of one message together', () => {
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'One' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Tw' },
          { type: 'text', text: 'o' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] },
      { role: 'assistant', content: 'Three' },
    ];
    expect(encoded(messages)).toMatchObject([
      { role: 'user' },
      { content: 'One\n\nTwo\n\nThree', tool_calls: [{ id: 'a' }] },
      { role: 'tool', tool_call_id: 'a', content: '(no result)' },
    ]);
  });

  it('keep the order of thinking and of calls', () => {
    expect(
      encoded([thoughtAndCall('a'), thoughtAndCall('b')], { reasoning_history: 'reasoning_content' }),
    ).toMatchObject([{}, { reasoning_content: 'about a\n\nabout b', tool_calls: [{ id: 'a' }, { id: 'b' }] }, {}, {}]);
  });

  it('are named at their own index if a part of them is refused', () => {
    const messages: Message[] = [
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'b' }, { type: 'newer' }] },
    ];
    expect(() => encoded(messages)).toThrow(refusing('messages.1.content.1.type'));
  });

  it('are refused if none has content', () => {
    expect(() => encoded([{ role: 'user', content: '' }])).toThrow(refusing('messages'));
  });
});
