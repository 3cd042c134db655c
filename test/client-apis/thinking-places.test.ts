import { describe, expect, it } from 'vitest';
import { ChunkWriter } from '../../lambdas/client-apis/chat/chunks.ts';
import { chatCompletion } from '../../lambdas/client-apis/chat/completion.ts';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { ToolNames } from '../../lambdas/client-apis/tool-names.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import type { Block, MessagesEvent } from '../../lambdas/messages/types.ts';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { dataIn } from '../support/sse-client.ts';

const thinking = (text: string): Block => ({ type: 'thinking', thinking: text, signature: `signature of ${text}` });
const text = (words: string): Block => ({ type: 'text', text: words });
const call = (id: string): Block => ({ type: 'tool_use', id, name: 'look', input: {} });

/** Claude thinks between the calls and texts of one answer. */
const answer = [
  thinking('one'),
  text('I look. '),
  call('toolu_1'),
  thinking('two'),
  { type: 'redacted_thinking', data: 'EnCr' },
  text('And there.'),
  call('toolu_2'),
];

const settings = { showsReasoning: true, tools: new ToolNames(), hasOlderCalls: false, hasUsageChunk: false };

interface Assistant {
  content: string;
  reasoning_details: object[];
  tool_calls: object[];
}

function wholeAnswer(content: Block[]): Assistant {
  const message = { id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', type: 'message' as const, model: 'm', content };
  const ending = { role: 'assistant' as const, stop_reason: 'tool_use' as const, stop_sequence: null, usage: {} };
  return (chatCompletion({ ...message, ...ending }, settings) as { choices: { message: Assistant }[] }).choices[0]!
    .message;
}

/** Returns the streamed answer of a client that stores every piece of thinking as an entry of its own. */
function streamedAnswer(content: Block[]): Assistant {
  const writer = new ChunkWriter({ generationId: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', model: 'm' }, settings);
  const events = content.flatMap((block, index): MessagesEvent[] => [
    {
      type: 'content_block_start',
      index,
      content_block: block.type === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : block,
    },
    ...(block.type === 'thinking'
      ? [
          ...(block['thinking'] as string).match(/./g)!.map((letter) => ({
            type: 'thinking_delta' as const,
            thinking: letter,
          })),
          { type: 'signature_delta' as const, signature: block['signature'] as string },
        ].map((delta): MessagesEvent => ({ type: 'content_block_delta', index, delta }))
      : []),
    { type: 'content_block_stop', index },
  ]);
  const deltas = dataIn([Buffer.from(events.map((event) => writer.write(event)).join(''))])
    .filter((data) => data !== '[DONE]')
    .map((data) => (JSON.parse(data) as { choices: { delta: Partial<Assistant> }[] }).choices[0]!.delta);
  const calls = deltas.flatMap(({ tool_calls: pieces = [] }) => pieces) as { id?: string; function: object }[];
  return {
    content: deltas.map((delta) => delta.content ?? '').join(''),
    reasoning_details: deltas.flatMap(({ reasoning_details: details = [] }) => details),
    tool_calls: calls.filter(({ id }) => id).map((one) => ({ ...one, function: { ...one.function, arguments: '{}' } })),
  };
}

function readBack(answered: Omit<Assistant, 'content'> & { content: string | Block[] }): string | Block[] {
  const { content, reasoning_details: details, tool_calls: calls } = answered;
  const earlier = { role: 'assistant', content, reasoning_details: details, tool_calls: calls };
  const results = ['toolu_1', 'toolu_2'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'Water.' }));
  const messages = [{ role: 'user', content: 'Hi' }, earlier, ...results];
  return parseWith(chatRequestSchema, { model: 'm', messages }).message.messages[1]!.content;
}

describe('thinking between the texts and calls of an answer', () => {
  it.each([
    ['a whole answer', wholeAnswer],
    ['a stream whose pieces are sent back one by one', streamedAnswer],
  ])('is at the same place in the next request after %s', (_what, shown) => {
    expect(readBack(shown(answer))).toEqual(answer);
  });

  it('has different ids for encrypted entries at the same place, of which some clients send back only the first', () => {
    const encrypted = ['EnCr', 'EnCs'].map((data) => ({ type: 'redacted_thinking', data }));
    const content = [text('I look.'), ...encrypted, call('toolu_1')];
    const [first, second] = wholeAnswer(content).reasoning_details as { id: string }[];

    expect(first!.id).not.toBe(second!.id);
    expect(readBack(wholeAnswer(content))).toEqual(content);
  });

  it('divides a text without a second cache mark', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const shown = wholeAnswer(answer);
    const blocks = readBack({ ...shown, content: [{ ...text(shown.content), ...mark }] }) as Block[];

    expect(blocks.filter((block) => block['cache_control'])).toEqual([{ ...text('And there.'), ...mark }]);
  });

  it('divides no character if the client has cut the beginning of the text', () => {
    const shown = wholeAnswer([text('\n👍 Yes.'), thinking('one'), text(' Good.')]);
    const details = [{ ...shown.reasoning_details[0]!, id: 'after-1-0' }];

    expect(readBack({ ...shown, content: '👍 Yes. Good.', reasoning_details: details })).toEqual([
      text('👍'),
      thinking('one'),
      text(' Yes. Good.'),
    ]);
  });

  it('is at the beginning if the client has lost the ids', () => {
    const { reasoning_details: details, ...others } = wholeAnswer(answer);
    const without = details.map((detail) => ({ ...detail, id: null }));

    expect(readBack({ ...others, reasoning_details: without })).toMatchObject([
      { type: 'thinking' },
      { type: 'thinking' },
      { type: 'redacted_thinking' },
      { text: 'I look. And there.' },
      { id: 'toolu_1' },
      { id: 'toolu_2' },
    ]);
  });

  it('stays before all text and calls if no place in the answer is that far', () => {
    const { reasoning_details: details, ...others } = wholeAnswer(answer);
    const moved = details.map((detail) => ({ ...detail, id: 'after-999999-999999' }));

    expect(readBack({ ...others, reasoning_details: moved })).toHaveLength(6);
  });

  const target = {
    providerId: 'anthropic',
    upstreamModel: 'm',
    maxOutputTokens: 1_000,
    supportedParameters: [],
    quirks: {},
  };
  const sent = (content: Block[]) => {
    const results = content.flatMap(({ type, id }) =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id }] : [],
    );
    const request = {
      model: 'm',
      messages: [
        { role: 'user' as const, content: 'Hi' },
        { role: 'assistant' as const, content },
        { role: 'user' as const, content: results },
      ],
    };
    const { body } = anthropicWire.encode(request, target, {
      anthropicVersion: '2023-06-01',
      anthropicBeta: undefined,
    });
    return (JSON.parse(body) as typeof request).messages[1]!.content;
  };

  it('reaches Claude at its place', () => {
    expect(sent(answer)).toEqual(answer);
  });

  it('does not move if a text follows the last call', () => {
    expect(sent([...answer, text('Done.')])).toEqual([...answer.slice(0, -1), text('Done.'), answer.at(-1)]);
  });
});
