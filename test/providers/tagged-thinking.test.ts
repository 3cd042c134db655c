import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { bedrockConverseWire } from '../../lambdas/providers/bedrock-converse/wire.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import { packFrame } from '../support/event-stream.ts';

const contextFor = (supportedParameters: string[], more: Partial<MessagesRequest> = {}) => ({
  target: { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters, quirks: {} },
  request: { model: 'm', messages: [], ...more },
  estimatedInputTokens: 1,
});
const reasoning = contextFor(['reasoning']);

const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
const piece = (delta: object) => chunk({ delta });
const end = `${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`;

async function streamed(pieces: readonly string[], context = reasoning, last = end) {
  async function* body(): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.from(pieces.join('') + last));
  }
  const assembler = new MessageAssembler();
  for await (const { events } of openaiChatWire.decode(body(), context)) {
    for (const { data } of events) assembler.add(data);
  }
  return assembler.finish()!.content;
}

const contents = (...texts: string[]) => texts.map((content) => piece({ content }));
const thinking = (words: string) => expect.objectContaining({ type: 'thinking', thinking: words }) as unknown;
const text = (words: string) => ({ type: 'text', text: words });

const token = (word: string) => ({ token: word, logprob: -0.5, bytes: null, top_logprobs: [] });

const answer = '\n<think>\nIs 7 < 9? </b> Yes.</think>\n\nYes: <think> is a tag.';
const parts = [thinking('Is 7 < 9? </b> Yes.'), text('Yes: <think> is a tag.')];

describe('thinking in a tag at the beginning of an answer', () => {
  it('becomes a thinking block, cut anywhere', async () => {
    for (let at = 0; at <= answer.length; at += 1) {
      expect(await streamed(contents(answer.slice(0, at), answer.slice(at)))).toEqual(parts);
    }
    expect(await streamed(contents(...answer.split('')))).toEqual(parts);
  });

  it('becomes a thinking block in an answer that is not streamed', () => {
    const document = { choices: [{ index: 0, message: { content: answer }, finish_reason: 'stop' }] };
    const assembler = new MessageAssembler();
    for (const { data } of openaiChatWire.decodeWhole(document, reasoning)!.events) assembler.add(data);
    expect(assembler.finish()!.content).toEqual(parts);
  });

  it('may be empty, or never end', async () => {
    expect(await streamed(contents('<think>\n\n</think>\n\nYes.'))).toEqual([text('Yes.')]);
    expect(await streamed(contents('<think>Well,', ' if</thi'))).toEqual([thinking('Well, if</thi')]);
  });

  it('may be followed by a call', async () => {
    const call = { index: 0, id: 'c', function: { name: 'look', arguments: '{}' } };
    const blocks = await streamed([...contents('<think>Look.</think>\n'), piece({ tool_calls: [call] })]);
    expect(blocks).toEqual([thinking('Look.'), expect.objectContaining({ type: 'tool_use', name: 'look' })]);
  });

  it('has no probabilities, but the text after it has', async () => {
    const words = ['<think>', 'Hm', '</think>', '\n\n', 'Yes', '.'];
    const whole = chunk({ delta: { content: words.join('') }, logprobs: { content: words.map(token) } });
    const context = contextFor(['reasoning'], { logprobs: true });
    const [, answered] = await streamed([whole], context);
    expect(answered).toMatchObject({ logprobs: [token('Yes'), token('.')] });
    const single = words.map((word) => chunk({ delta: { content: word }, logprobs: { content: [token(word)] } }));
    expect((await streamed(single, context))[1]).toMatchObject({ logprobs: [token('Yes'), token('.')] });
  });
});

describe('a closing tag without an opening tag', () => {
  const separate = piece({ reasoning_content: 'Hm.' });

  it('is dropped at the beginning of the text, cut anywhere', async () => {
    const words = '\n</think>\n\nYes, </think>.';
    for (let at = 0; at <= words.length; at += 1) {
      const pieces = contents(words.slice(0, at), words.slice(at));
      expect(await streamed([separate, ...pieces])).toEqual([thinking('Hm.'), text('Yes, </think>.')]);
      expect(await streamed(pieces)).toEqual([text('Yes, </think>.')]);
    }
  });

  it('is dropped before a call', async () => {
    const call = { index: 0, id: 'c', function: { name: 'look', arguments: '{}' } };
    const blocks = await streamed([separate, ...contents('</think>'), piece({ tool_calls: [call] })]);
    expect(blocks).toEqual([thinking('Hm.'), expect.objectContaining({ type: 'tool_use' })]);
  });
});

describe('a text that looks like a tag', () => {
  it.each([
    ['is not at the beginning', ['Use ', '<think>', 'x</think>']],
    ['is another tag', ['<thi', 'rd>x</third>']],
    ['is cut by the end of the answer', ['\n', '<thin']],
    ['is behind much white space', [' '.repeat(65), '<think>x</think>']],
  ])('is text if it %s', async (_what, texts) => {
    expect(await streamed(contents(...texts))).toEqual([text(texts.join(''))]);
  });

  it('is text if the model does not reason', async () => {
    expect(await streamed(contents(answer), contextFor([]))).toEqual([text(answer)]);
  });

  it('is text if the provider has sent reasoning separately', async () => {
    const separate = piece({ reasoning_content: 'Hm.' });
    expect(await streamed([separate, ...contents('<think>x</think>y')])).toEqual([
      thinking('Hm.'),
      text('<think>x</think>y'),
    ]);
  });

  it('is not read twice if a message so far is next to the delta', async () => {
    const soFar = chunk({ delta: {}, message: { content: '<th' } });
    expect(await streamed([piece({ content: '<th' }), soFar, piece({ content: 'e>' })])).toEqual([text('<the>')]);
  });
});

const piecesOf = (index: number, texts: string[]) =>
  texts.map((piece_) =>
    packFrame('contentBlockDelta', JSON.stringify({ contentBlockIndex: index, delta: { text: piece_ } })),
  );

describe('thinking in tags before a call of Nova', () => {
  const tools = [{ name: 'look', input_schema: { type: 'object' } }];
  const input = { toolUse: { toolUseId: 'tooluse_1', name: 'look', input: {} } };
  const call = expect.objectContaining({ type: 'tool_use', name: 'look' }) as unknown;
  const answered = (content: object[], family: 'nova' | 'other', more: Partial<MessagesRequest> = { tools }) => {
    const context = contextFor([], more);
    const document = { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage: {} };
    const target = { ...context.target, quirks: { family } };
    const { events } = bedrockConverseWire.decodeWhole(document, { ...context, target })!;
    const assembler = new MessageAssembler();
    for (const { data } of events) assembler.add(data);
    return assembler.finish()!.content;
  };
  const said = { text: '<thinking> I look. </thinking>\n\nA moment.' };

  it('becomes thinking blocks, also after the first call', () => {
    expect(answered([said, input, { text: '<thinking>Again.</thinking>\n' }, input], 'nova')).toEqual([
      thinking('I look. '),
      text('A moment.'),
      call,
      thinking('Again.'),
      call,
    ]);
  });

  const streamedByNova = async (frames: Buffer[]) => {
    async function* body(): AsyncGenerator<Buffer> {
      yield packFrame('messageStart', JSON.stringify({ role: 'assistant' }));
      for (const frame of frames) yield await Promise.resolve(frame);
      yield packFrame('messageStop', JSON.stringify({ stopReason: 'end_turn' }));
    }
    const context = contextFor([], { tools });
    const target = { ...context.target, quirks: { family: 'nova' as const } };
    const assembler = new MessageAssembler();
    for await (const { events } of bedrockConverseWire.decode(body(), { ...context, target })) {
      for (const { data } of events) assembler.add(data);
    }
    return assembler.finish()!.content;
  };

  it('arrives in pieces', async () => {
    const pieces = piecesOf(0, ['<thin', 'king>Hm', '.</thinking', '>\n', 'Yes']);
    const end = packFrame('contentBlockStop', JSON.stringify({ contentBlockIndex: 0 }));

    expect(await streamedByNova([...pieces, end])).toEqual([thinking('Hm.'), text('Yes')]);
  });

  it('loses no text that may begin a tag if another block begins before its end', async () => {
    const frames = [...piecesOf(0, ['<thin']), ...piecesOf(1, ['Yes'])];
    expect(await streamedByNova(frames)).toEqual([text('<thin'), text('Yes')]);
  });

  it.each([
    ['without tools', 'nova', {}],
    ['of another model', 'other', { tools }],
  ] as const)('stays text %s', (_, family, more) => {
    expect(answered([said], family, more as Partial<MessagesRequest>)).toEqual([text(said.text)]);
  });
});
