import { describe, expect, it } from 'vitest';
import type { AnthropicQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Message, MessagesRequest, Tool } from '../../lambdas/messages/types.ts';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

interface Sent {
  anthropic_beta?: string[];
  context_management?: object;
  messages: Message[];
  tools: Tool[];
}

const endpoints = loadShippedCatalog().models.flatMap((model) => model.endpoints);
const INTERLEAVED = 'interleaved-thinking-2025-05-14';
const COMPUTER = 'computer-use-2025-11-24';

function sentBy(endpoint: string, request: Partial<MessagesRequest>, anthropicBeta?: string): Sent {
  const target = {
    providerId: 'acme',
    upstreamModel: 'claude',
    maxOutputTokens: 10_000,
    supportedParameters: [],
    quirks: endpoints.find(({ id }) => id === endpoint)!.quirks as AnthropicQuirks,
  };
  const asked = { model: 'claude', messages: [{ role: 'user' as const, content: 'Hi' }], ...request };
  const { body } = anthropicWire.encode(asked, target, { anthropicVersion: '2023-06-01', anthropicBeta });
  return JSON.parse(body) as Sent;
}

const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const text = (words: string) => ({ type: 'text', text: words });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });

const look = { name: 'look', input_schema: { type: 'object' } };

describe('betas on Bedrock', () => {
  it.each([
    ['opus-4.5', [INTERLEAVED, COMPUTER]],
    ['opus-4.8', [COMPUTER]],
    ['haiku-4.5', undefined],
  ])('are only those that %s knows', (model, expected) => {
    const sent = sentBy(
      `amazon-bedrock/anthropic/claude-${model}`,
      { betas: [COMPUTER] },
      `claude-code-1, ${INTERLEAVED}`,
    );
    expect(sent.anthropic_beta).toEqual(expected);
  });

  it('allow a thinking budget above max_tokens only if interleaved-thinking is sent', () => {
    const request = { max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 4_000 } };
    const sent = sentBy('amazon-bedrock/anthropic/claude-opus-4.5', request, INTERLEAVED);
    expect(sent.anthropic_beta).toEqual([INTERLEAVED]);
    expect(() => sentBy('amazon-bedrock/anthropic/claude-haiku-4.5', request, INTERLEAVED)).toThrow('budget_tokens');
  });

  it('include the beta for an effort that Opus 4.5 requires', () => {
    const request = { output_config: { effort: 'low' } };
    expect(sentBy('amazon-bedrock/anthropic/claude-opus-4.5', request).anthropic_beta).toEqual(['effort-2025-11-24']);
    expect(sentBy('amazon-bedrock/anthropic/claude-opus-4.6', request).anthropic_beta).toBeUndefined();
  });
});

describe('parts that clients send', () => {
  const clearing = { type: 'clear_thinking_20251015' };
  const uses = { type: 'clear_tool_uses_20250919' };

  it.each([
    [{ thinking: { type: 'adaptive' } }, { edits: [clearing, uses] }],
    [{ thinking: { type: 'disabled' } }, { edits: [uses] }],
    [{}, { edits: [uses] }],
    [{ thinking: { type: 'adaptive' }, tools: [look], tool_choice: { type: 'any' as const } }, { edits: [uses] }],
  ])('do not clear thinking unless the model thinks: %j', (request, expected) => {
    const context_management = { edits: [clearing, uses] };
    const sent = sentBy('anthropic/anthropic/claude-opus-4.8', { ...request, context_management });
    expect(sent.context_management).toEqual(expected);
  });

  it('contain no empty list of edits', () => {
    const context_management = { edits: [clearing] };
    const sent = sentBy('anthropic/anthropic/claude-opus-4.8', { context_management });
    expect(sent.context_management).toBeUndefined();
  });

  it('have no members of the SDK in earlier answers', () => {
    const content = [
      { type: 'text', text: 'I look.', index: 0, parsed_output: null },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'look',
        input: {},
        index: 1,
        partial_json: '{}',
        caller: { type: 'direct' },
      },
    ];
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
    ];
    const sent = sentBy('amazon-bedrock/anthropic/claude-opus-4.8', { messages, tools: [look] });
    expect(sent.messages[1]!.content).toEqual([
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    ]);
  });

  it('have the calls of a turn at its end', () => {
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [call('a'), text('One.'), call('b')] },
      { role: 'assistant', content: 'Two.' },
      { role: 'user', content: [result('a'), result('b')] },
      { role: 'assistant', content: [text('Three.'), call('c')] },
      { role: 'user', content: [result('c')] },
    ];
    const sent = sentBy('anthropic/anthropic/claude-opus-4.8', { messages, tools: [look] });
    expect(sent.messages).toEqual([
      messages[0],
      { role: 'assistant', content: [text('One.'), text('Two.'), call('a'), call('b')] },
      ...messages.slice(3),
    ]);
  });

  it.each([
    ['anthropic/anthropic/claude-opus-4.8', undefined],
    ['amazon-bedrock/anthropic/claude-opus-4.8', 'Looks.\n\nExamples of input:\n{"place":"here"}'],
  ])('have examples of input in the form of %s', (endpoint, description) => {
    const tool = { ...look, description: 'Looks.', input_examples: [{ place: 'here' }] };
    const [sent] = sentBy(endpoint, { tools: [tool] }).tools;
    expect(sent).toMatchObject(description ? { description } : { input_examples: tool.input_examples });
    if (description) expect(sent).not.toHaveProperty('input_examples');
  });
});
