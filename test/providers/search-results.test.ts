import { describe, expect, it } from 'vitest';
import type { Block } from '../../lambdas/messages/types.ts';
import type { Wire } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';

const found = {
  type: 'search_result',
  source: 'https://a.example/towers',
  title: 'Towers',
  content: [
    { type: 'text', text: 'It has 7 floors.' },
    { type: 'text', text: 'It was built in 1902.' },
  ],
};
const asText =
  '<search_result source="https://a.example/towers" title="Towers">\nIt has 7 floors.\nIt was built in 1902.\n</search_result>';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const call: Block = { type: 'tool_use', id: 't', name: 'look', input: {} };
const resultOf = (content: unknown) => ({ type: 'tool_result', tool_use_id: 't', content });

/** Returns the body of a request with this block. A tool result follows its call. */
const sent = (wire: Wire, quirks: object, block: Block) => {
  const target = { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters: ['tools'], quirks };
  const messages = [
    ...(block.type === 'tool_result' ? [{ role: 'assistant' as const, content: [call] }] : []),
    { role: 'user' as const, content: [block] },
  ];
  const tools = [{ name: 'look', input_schema: { type: 'object' } }];
  return messagesWire(wire)!.encode({ model: 'm', messages, tools }, target, client).body;
};

const refusal = (field: string) => expect.objectContaining({ status: 400, metadata: { field } }) as Error;

const lacking: [Wire, object][] = [
  ['openai-chat', {}],
  ['openai-responses', {}],
  ['google-gemini', {}],
  ['bedrock-converse', { family: 'nova' }],
  ['anthropic', { lacks: ['search_result', 'citations'] }],
];

describe.each(lacking)('a search result of the client over %s, which has no block for it', (wire, quirks) => {
  it('becomes a text with its source and title', () => {
    expect(sent(wire, quirks, found)).toContain(JSON.stringify(asText));
  });

  it('becomes a text in the result of a tool', () => {
    expect(sent(wire, quirks, resultOf([found]))).toContain(JSON.stringify(asText));
  });

  it('is refused by name if it demands citations', () => {
    const cited = { ...found, citations: { enabled: true } };
    expect(() => sent(wire, quirks, cited)).toThrow(refusal('messages.0.content.0.citations.enabled'));
    expect(() => sent(wire, quirks, resultOf([cited]))).toThrow(
      refusal('messages.1.content.0.content.0.citations.enabled'),
    );
  });
});

describe('a search result of the client over a wire that has a block for it', () => {
  it('stays as it is for Claude', () => {
    expect(sent('anthropic', {}, found)).toContain(JSON.stringify(found));
  });
});
