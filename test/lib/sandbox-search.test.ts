import { describe, expect, it } from 'vitest';
import type { MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { Block, Message, MessagesRequest } from '../../lambdas/messages/types.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { writeScript } from '../../lib/local/sandbox/script.ts';
import { wireRequestFor } from '../../lib/local/sandbox/wires.ts';

/** Searches by models of the sandbox, with requests as the gateway writes them for each wire. */

const properties = { query: { type: 'string' } };
const search = { name: 'web_search', input_schema: { type: 'object', properties } };
const clock = { name: 'get_time', input_schema: { type: 'object', properties: {} } };
const both = [clock, search];

const wires: [name: string, wire: MessagesWireName, address: string, quirks: object][] = [
  ['anthropic', 'anthropic', '/anthropic', {}],
  ['chat', 'openai-chat', '/openai/v1', {}],
  ['responses', 'openai-responses', '/openai/v1', {}],
  ['gemini', 'google-gemini', '/gemini/v1beta', {}],
  ['converse', 'bedrock-converse', '/bedrock', { family: 'claude' }],
  ['invoke', 'anthropic', '/bedrock', { envelope: 'bedrock-invoke' }],
];

type Asked = Partial<Omit<MessagesRequest, 'messages'>>;

function answerOver(name: string, messages: Message[], asked: Asked = {}): { text: string; calls: object[] } {
  const [, wire, address, quirks] = wires.find(([known]) => known === name)!;
  const target = {
    providerId: 'sandbox',
    upstreamModel: 'm',
    maxOutputTokens: 1_000,
    supportedParameters: ['tools'],
    quirks,
  };
  const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
  const request: MessagesRequest = {
    model: 'a/b',
    max_tokens: 1_000,
    stream: true,
    messages,
    tools: [search],
    ...asked,
  };
  const { path, body } = messagesWire(wire)!.encode(request, target, client);
  const { blocks } = writeScript(wireRequestFor(`${address}${path}`)!.wire.read(JSON.parse(body) as never));
  return {
    text: blocks.flatMap(({ kind, pieces }) => (kind === 'text' ? pieces : [])).join(''),
    calls: blocks.flatMap((block) =>
      block.kind === 'tool' ? [{ name: block.name, input: JSON.parse(block.pieces.join('') || '{}') as object }] : [],
    ),
  };
}

const saying = (content: string): Message => ({ role: 'user', content });
const searching = (...queries: string[]) => queries.map((query) => ({ name: 'web_search', input: { query } }));

function answering(...answers: [name: string, result: string][]): Message[] {
  const ids = answers.map(([name], index) => `toolu_${name}_${index}`);
  const calls = answers.map(([name], index): Block => ({ type: 'tool_use', id: ids[index]!, name, input: {} }));
  const results = answers.map(([, content], index): Block => ({
    type: 'tool_result',
    tool_use_id: ids[index]!,
    content,
  }));
  return [
    { role: 'assistant', content: calls },
    { role: 'user', content: results },
  ];
}

const paris = '[1] Paris\nhttps://example.org/paris\nParis has 2.1 million people. It is old.\nAnd big.';
const rome = '[2] Rome\nhttps://example.org/rome\nRome is older';
const oslo = '[3] Oslo\nhttps://example.org/oslo';
const greeting = 'Hello from the sandbox! Привет!';
const price = 'No provider was called for this answer, and it still has a price.';

describe.each(wires.map(([name]) => name))('a model over %s', (wire) => {
  const question = saying('Большие города?\n@sandbox delay=0');

  it('searches by itself if search is its only tool', () => {
    expect(answerOver(wire, [saying('Hi'), { role: 'assistant', content: 'Hi!' }, question]).calls).toEqual(
      searching('Большие города?'),
    );
  });

  it('quotes its first two sources, with their markers', () => {
    const { text, calls } = answerOver(wire, [
      question,
      ...answering(['web_search', `${paris}\n\n${rome}\n\n${oslo}`]),
    ]);

    expect(calls).toEqual([]);
    expect(text).toBe(
      `${greeting} According to its sources: Paris has 2.1 million people. [1] And: Rome is older [2] ${price}`,
    );
  });

  it('searches several times in one answer, together with calls of other tools', () => {
    const { calls } = answerOver(wire, [saying('Cities?\n@sandbox search=2 tool')], { tools: both });

    expect(calls).toEqual([...searching('Cities?', 'Cities? 2'), { name: 'get_time', input: {} }]);
  });

  it('assigns each result to its search', () => {
    const results = answering(['get_time', '[9] Not\na\nsource.'], ['web_search', rome], ['web_search', oslo]);

    expect(answerOver(wire, [saying('Cities?\n@sandbox search=2 tool'), ...results], { tools: both }).text).toBe(
      `${greeting} According to its sources: Rome is older [2] And: Oslo [3] ${price}`,
    );
  });

  it('searches several times in sequence, then summarizes all results', () => {
    const earlier = [question, ...answering(['web_search', oslo]), { role: 'assistant', content: 'So.' } as const];
    const rounds = [...earlier, saying('Cities?\n@sandbox searches=2')];
    const [first, second] = [answering(['web_search', paris]), answering(['web_search', rome])];

    expect(answerOver(wire, rounds, { tools: both }).calls).toEqual(searching('Cities?'));
    expect(answerOver(wire, [...rounds, ...first], { tools: both }).calls).toEqual(searching('Cities? 2'));
    const { text, calls } = answerOver(wire, [...rounds, ...first, ...second], { tools: both });
    expect(calls).toEqual([]);
    expect(text).toContain('Paris has 2.1 million people. [1] And: Rome is older [2]');
  });
});

describe('a model with a search', () => {
  const time = [{ name: 'get_time', input: {} }];
  const long = 'Города '.repeat(50);

  it.each<[string, string, Asked, object[]]>([
    [
      'calls it if tool_choice names it',
      'Cities?',
      { tools: both, tool_choice: { type: 'tool', name: 'web_search' } },
      searching('Cities?'),
    ],
    ['calls it if it must call a tool', 'Cities?', { tool_choice: { type: 'any' } }, searching('Cities?')],
    [
      'calls it with "tools" if it has no other tool',
      'Cities?\n@sandbox tools=2',
      {},
      searching('Cities?', 'Cities? 2'),
    ],
    ['calls it with "search"', 'Cities?\n@sandbox search', { tools: both }, searching('Cities?')],
    ['calls another tool if it may choose', 'Cities?', { tools: both, tool_choice: { type: 'any' } }, time],
    ['calls another tool with "tool"', 'Cities?\n@sandbox tool', { tools: both }, time],
    ['searches for 200 characters at most', long, {}, searching(long.slice(0, 200))],
    ['searches for "the sandbox" if the message has no text', '@sandbox delay=0', {}, searching('the sandbox')],
    ['calls nothing if it has other tools and no tool_choice', 'Cities?', { tools: both }, []],
    ['calls nothing if it must not', 'Cities?', { tool_choice: { type: 'none' } }, []],
    ['calls nothing with "search=0"', 'Cities?\n@sandbox search=0', {}, []],
    ['calls nothing if the message requests a number of words', 'Cities?\n@sandbox tokens=5', {}, []],
    ['calls nothing if it refuses', 'Cities?\n@sandbox refuse', {}, []],
    ['calls no tool of that name that takes no query', 'Cities?', { tools: [{ ...clock, name: 'web_search' }] }, []],
  ])('%s', (_, question, asked, expected) => {
    expect(answerOver('chat', [saying(question)], asked).calls).toEqual(expected);
  });

  it('states that a search found nothing', () => {
    expect(answerOver('chat', [saying('Cities?'), ...answering(['web_search', 'Nothing was found.'])]).text).toBe(
      `${greeting} Its search has found no source. ${price}`,
    );
  });
});

describe('a model of the sandbox that receives search results', () => {
  it.each(wires)('quotes them with the markers of their sources, over %s', (name) => {
    const found =
      'The web was searched.\n\n[1] Baikal\nhttps://a.example/\nIt is deep. Very.\n\n[2] Lakes\nhttps://b.example/\nA list.';
    const messages: Message[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'How deep?' },
          { type: 'text', text: found },
        ],
      },
    ];

    const { text } = answerOver(name, messages, { tools: [] });

    expect(text).toContain('It is deep. [1] And: A list. [2]');
  });
});
