import { describe, expect, it } from 'vitest';
import type { AnthropicQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Message, MessagesRequest } from '../../lambdas/messages/types.ts';
import { placedInstructions } from '../../lambdas/providers/anthropic/rewritten.ts';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { encodeInDialect } from '../../lambdas/providers/openai-chat/dialect.ts';
import { encodeGeminiRequest } from '../../lambdas/providers/google-gemini/encode.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { sent } from '../support/chat-request.ts';

const endpoints = loadShippedCatalog().models.flatMap((model) => model.endpoints);
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const system = (content: string): Message => ({ role: 'system', content });
const tagged = (text: string) => ({ role: 'user', content: [{ type: 'text', text: `<system>\n${text}\n</system>` }] });
const reminder = (content: string): Message => ({ ...system(content), clear_at: 'next_user_message' }) as Message;
const effortOf = (effort: string): Message =>
  ({ role: 'system', content: [], output_config: { effort } }) as unknown as Message;

const target = <Quirks>(quirks: Quirks) => ({
  providerId: 'acme',
  upstreamModel: 'up',
  maxOutputTokens: 10_000,
  supportedParameters: [],
  quirks,
});

function atClaude(endpoint: string, request: Partial<MessagesRequest>): MessagesRequest {
  const { quirks } = endpoints.find(({ id }) => id === endpoint)!;
  const requested = { model: 'claude', messages: [user('Hi')], ...request };
  const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
  const { body } = anthropicWire.encode(requested, target(quirks as AnthropicQuirks), client);
  return JSON.parse(body) as MessagesRequest;
}

const OPUS = 'anthropic/anthropic/claude-opus-5.5';
const BEDROCK = 'amazon-bedrock/anthropic/claude-opus-5.5';
const HAIKU = 'anthropic/anthropic/claude-haiku-4.5';
const DEEPSEEK = 'deepseek-anthropic/deepseek/deepseek-v4-pro';

describe('an instruction that applies until the next message of the user', () => {
  const messages = [user('A'), reminder('Old.'), assistant('B'), user('C'), reminder('New.')];

  it('stays as it is at Anthropic, whose thinking depends on it', () => {
    expect(atClaude(OPUS, { messages }).messages).toEqual(messages);
  });

  it.each([BEDROCK, HAIKU, DEEPSEEK])('is left out after that message for %s', (endpoint) => {
    expect(atClaude(endpoint, { messages }).messages).toEqual([user('A'), assistant('B'), user('C'), tagged('New.')]);
  });

  it('is left out after that message on other wires', () => {
    expect(sent({ messages }, { later_system_messages: true })['messages']).toEqual([
      ...messages.slice(0, 1),
      ...messages.slice(2, 4),
      system('New.'),
    ]);
  });

  it.each([OPUS, BEDROCK, HAIKU, DEEPSEEK])('is left out at the beginning for %s', (endpoint) => {
    expect(atClaude(endpoint, { messages: [reminder('Old.'), user('A')] })).toMatchObject({ messages: [user('A')] });
    expect(atClaude(endpoint, { messages: [reminder('Old.'), user('A')] })).not.toHaveProperty('system');
  });

  it.each([BEDROCK, HAIKU, DEEPSEEK])('stays if it is never cleared: %s', (endpoint) => {
    const lasting = { ...system('Always.'), clear_at: 'never' } as Message;
    const kept = atClaude(endpoint, { messages: [user('A'), lasting, assistant('B'), user('C')] }).messages;
    expect(kept).toEqual([user('A'), tagged('Always.'), assistant('B'), user('C')]);
  });

  it('is left out if the message follows it directly', () => {
    expect(atClaude(OPUS, { messages: [user('A'), reminder('Old.'), user('B')] }).messages).toEqual([
      user('A'),
      user('B'),
    ]);
  });
});

describe('an instruction that adds a tool', () => {
  const tools = [{ name: 'look', input_schema: { type: 'object' }, defer_loading: true }];
  const tool = { type: 'tool_reference', name: 'look' };
  const addition = { role: 'system', content: [{ type: 'tool_addition', tool }] } as Message;

  it.each([
    [OPUS, addition, true],
    [HAIKU, tagged('The tool "look" can be called from now on.'), undefined],
  ])('becomes text for a model without instructions in its conversations: %s', (endpoint, instruction, deferred) => {
    const body = atClaude(endpoint, { tools, messages: [user('A'), addition] });
    expect(body.messages).toEqual([user('A'), instruction]);
    expect(body.tools![0]!['defer_loading']).toBe(deferred);
  });
});

it('an instruction that removes a tool is an instruction in chats too', () => {
  const removal = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'look' } };
  const tools = ['look', 'go'].map((name) => ({ name, input_schema: { type: 'object' } }));
  const messages = [user('A'), { role: 'system', content: [removal] } as Message];
  const body = encodeInDialect(
    { model: 'm', tools, messages },
    { ...target({}), supportedParameters: ['tools'] },
    undefined,
  );

  expect(JSON.stringify(body['messages'])).toContain('<system>\\nThe tool');
  expect(body['tools']).toMatchObject([{ function: { name: 'go' } }]);
});

describe('a message that only sets the effort', () => {
  const messages = [user('A'), assistant('B'), effortOf('low'), user('C')];

  it('stays in its place at Anthropic, because it applies from there on', () => {
    expect(atClaude(OPUS, { messages }).messages).toEqual(messages);
  });

  it.each([BEDROCK, HAIKU, DEEPSEEK])('is left out for %s', (endpoint) => {
    expect(atClaude(endpoint, { messages }).messages).toEqual([user('A'), assistant('B'), user('C')]);
  });
});

describe('an instruction at the beginning that also sets the effort', () => {
  const first = { ...system('Be brief.'), output_config: { effort: 'low' } } as Message;

  it('keeps its effort at Anthropic', () => {
    expect(atClaude(OPUS, { messages: [first, user('A')] }).messages).toEqual([user('A'), first]);
  });

  it.each([BEDROCK, HAIKU])('is text, and sets the effort of the answer, for %s', (endpoint) => {
    const messages = [first, user('A')];
    const same = { messages: [system('Be brief.'), user('A')], output_config: { effort: 'low' as const } };

    expect(atClaude(endpoint, { messages }).output_config).toEqual(atClaude(endpoint, same).output_config);
    expect(atClaude(endpoint, { messages }).messages).toEqual([tagged('Be brief.'), user('A')]);
  });
});

describe('instructions before the first message', () => {
  const messages = [system('Be brief.'), user('A'), assistant('B'), user('C')];
  const prompt = [
    { type: 'text', text: 'Be kind.' },
    { type: 'text', text: 'Be brief.' },
  ];

  it.each([OPUS, BEDROCK, HAIKU, DEEPSEEK])('are part of the system prompt for %s', (endpoint) => {
    const body = atClaude(endpoint, { system: 'Be kind.', messages });
    expect(body.system).toEqual(prompt);
    expect(body.messages).toEqual(messages.slice(1));
  });

  it('are part of the system prompt for Gemini', () => {
    const request = { model: 'm', system: 'Be kind.', messages };
    const { systemInstruction, contents } = encodeGeminiRequest(request, target({}));
    expect(systemInstruction).toEqual({ parts: [{ text: 'Be kind.' }, { text: 'Be brief.' }] });
    expect(contents[0]).toEqual({ role: 'user', parts: [{ text: 'A' }] });
  });
});

describe('members of thinking that need a beta', () => {
  const thinking = { type: 'adaptive', display: 'updates', block_binding: { prefix_mismatch_behavior: 'drop_block' } };

  it.each([
    [OPUS, thinking],
    [BEDROCK, { type: 'adaptive', display: 'summarized' }],
    [DEEPSEEK, { type: 'enabled', display: 'summarized', budget_tokens: 5_000 }],
  ])('are sent only to services that know the beta: %s', (endpoint, expected) => {
    expect(atClaude(endpoint, { thinking }).thinking).toEqual(expected);
  });

  it('have no effect on other wires', () => {
    const { block_binding: _binding, ...others } = thinking;
    expect(sent({ thinking }, {})).toEqual(sent({ thinking: others }, {}));
  });
});

describe('instructions in sequence', () => {
  const both = {
    role: 'system',
    content: [
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ],
  };

  it.each([
    [
      'within the conversation',
      [user('A'), system('One.'), system('Two.'), assistant('B'), user('C')],
      [user('A'), both, assistant('B'), user('C')],
    ],
    [
      'around a message of the user',
      [user('A'), system('One.'), user('B'), system('Two.')],
      [user('A'), user('B'), both],
    ],
  ])('become one instruction at Anthropic, which does not allow them: %s', (_, messages, expected) => {
    expect(atClaude(OPUS, { messages }).messages).toEqual(expected);
  });

  it('are merged in linear time', () => {
    const messages = [user('A'), ...Array.from({ length: 19_999 }, () => system('B'))];
    const started = performance.now();
    expect(placedInstructions({ model: 'm', messages }).messages).toHaveLength(2);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('stay apart if they apply for different times', () => {
    const messages = [user('A'), reminder('One.'), system('Two.')];
    expect(atClaude(OPUS, { messages }).messages).toEqual(messages);
  });
});
