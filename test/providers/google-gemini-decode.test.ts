import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { geminiUsage } from '../../lambdas/providers/google-gemini/usage.ts';
import { googleGeminiWire as wire } from '../../lambdas/providers/google-gemini/wire.ts';

const target = {
  providerId: 'google',
  upstreamModel: 'gemini-x',
  maxOutputTokens: 1_000,
  supportedParameters: [],
  quirks: {},
};

const response = (parts: string, finish?: string) =>
  `data: {"candidates":[{"content":{"role":"model","parts":[${parts}]}${finish ? `,"finishReason":"${finish}"` : ''}}]}\r\n\r\n`;

async function batchesOf(chunks: string[], more: Partial<MessagesRequest> = {}) {
  async function* body(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  }
  const request = { model: 'google/gemini-x', messages: [], ...more };
  const batches = [];
  for await (const batch of wire.decode(body(), { target, request, estimatedInputTokens: 7 })) batches.push(batch);
  return batches;
}

async function messageOf(chunks: string[], more?: Partial<MessagesRequest>) {
  const assembler = new MessageAssembler();
  for (const { events } of await batchesOf(chunks, more)) for (const { data } of events) assembler.add(data);
  return assembler.finish()!;
}

const lamp = (on: boolean) => `{"functionCall":{"name":"set_lamp","args":{"on":${on}}},"thoughtSignature":"c2ln"}`;

describe('a function call from Gemini', () => {
  it('keeps the digits of its arguments', async () => {
    const pay = '{"functionCall":{"name":"pay","args":{"account":9007199254740993,"rate":0.1000000000000000055}}}';
    const { content } = await messageOf([response(pay, 'STOP')]);
    expect(JSON.stringify(content[0]!['input'])).toBe('{"account":9007199254740993,"rate":0.1000000000000000055}');
  });

  it('keeps the digits of arguments that arrive value by value', async () => {
    const value = '{"jsonPath":"$.account","numberValue":9007199254740993}';
    const pay = `{"functionCall":{"name":"pay","partialArgs":[${value}]}}`;
    const { content } = await messageOf([response(pay, 'STOP')]);
    expect(JSON.stringify(content[0]!['input'])).toBe('{"account":9007199254740993}');
  });

  it.each([
    ['{"name":"list","args":{}}', '{"args":{"path":"/a"}}'],
    ['{"name":"list","args":{},"willContinue":true}', '{"partialArgs":[{"jsonPath":"$.path","stringValue":"/a"}]}'],
  ])('may get its arguments in a later piece, without its name: %s', async (begun, rest) => {
    const pieces = [begun, rest, '{"name":"stop","args":{}}'].map((call) => response(`{"functionCall":${call}}`));
    const { content, stop_reason } = await messageOf([...pieces, response('', 'STOP')]);
    expect(content.map(({ name, input }) => [name, input])).toEqual([
      ['list', { path: '/a' }],
      ['stop', {}],
    ]);
    expect(stop_reason).toBe('tool_use');
  });

  it('is the only one passed on if the client disables parallel calls', async () => {
    const { content, stop_reason } = await messageOf([response(`${lamp(true)},${lamp(false)}`), response('', 'STOP')], {
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });
    expect(content.map(({ type, input }) => [type, input])).toEqual([
      ['thinking', undefined],
      ['tool_use', { on: true }],
    ]);
    expect(stop_reason).toBe('tool_use');
  });

  it('passes on its arguments as soon as they arrive', async () => {
    const more = (text: string) =>
      response(
        `{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"${text}","willContinue":true}],"willContinue":true}}`,
      );
    const batches = await batchesOf([
      response('{"functionCall":{"name":"write","willContinue":true}}'),
      more('Hello'),
      more(' there'),
      response('{"functionCall":{}}', 'STOP'),
    ]);
    const written = batches.map(({ events }) =>
      events.flatMap(({ data }) =>
        data.type === 'content_block_delta' && data.delta.type === 'input_json_delta' ? [data.delta.partial_json] : [],
      ),
    );
    expect(written.slice(0, 4)).toEqual([[], ['{"a":"Hello'], [' there'], ['"}']]);
  });

  it.each([
    ['nowhere', ['"a"']],
    ['in no object', ['"$[0]"']],
    ['out of the order of a list', ['"$.a[1]"']],
    ['at the same place again', ['"$.a"', '"$.b"', '"$.a"']],
    ['inside of a closed object', ['"$.a.b"', '"$.c"', '"$.a.d"']],
    ['deeper than any', [`"$${'.a'.repeat(101)}"`]],
  ])('fails if a value is %s', async (_where, paths) => {
    const values = paths.map((path) => `{"jsonPath":${path},"numberValue":1}`).join();
    const call = `{"functionCall":{"name":"f","partialArgs":[${values}]}}`;
    await expect(batchesOf([response(call, 'STOP')])).rejects.toMatchObject({ failure: 'malformed' });
  });
});

describe('the end of a Gemini answer', () => {
  it('is its last finish reason, because content may follow a reason', async () => {
    const { content, stop_reason } = await messageOf([
      response('', 'STOP'),
      response('{"text":"A"}', 'STOP'),
      response('{"text":"B"}', 'MAX_TOKENS'),
    ]);

    expect(content).toEqual([{ type: 'text', text: 'AB' }]);
    expect(stop_reason).toBe('max_tokens');
  });

  it('is not thinking, because clients read the last block as the answer', async () => {
    const { content } = await messageOf([
      response('{"text":"Hi."}'),
      response('{"text":"","thoughtSignature":"c2ln"}', 'STOP'),
    ]);
    expect(content).toEqual([{ type: 'text', text: 'Hi.' }]);
  });

  it.each([
    ['MAX_TOKENS', 'max_tokens'],
    ['CONTINUATION', 'max_tokens'],
    ['RECITATION', 'refusal'],
    ['SPII', 'refusal'],
    ['MODEL_ARMOR', 'refusal'],
    ['NO_IMAGE', 'refusal'],
  ])('with %s is %s', async (finish, stop) => {
    expect(await messageOf([response('{"text":"Hi"}', finish)])).toMatchObject({ stop_reason: stop });
  });

  it.each(['MALFORMED_FUNCTION_CALL', 'NO_IMAGE'])(
    'with %s and no text is a failure without any other event, so that another endpoint is tried',
    async (reason) => {
      const batches = await batchesOf([response('', reason)]);
      expect(batches.flatMap(({ events }) => events.map(({ data }) => data.type))).toEqual(['error']);
    },
  );

  it('is not the default value of a block reason', async () => {
    const unblocked = 'data: {"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"}}\r\n\r\n';
    const blocked = 'data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}\r\n\r\n';

    expect(await messageOf([unblocked, response('{"text":"Hi"}', 'STOP')])).toMatchObject({ stop_reason: 'end_turn' });
    expect(await messageOf([blocked])).toMatchObject({ stop_reason: 'refusal' });
    await expect(batchesOf([unblocked])).rejects.toMatchObject({ failure: 'broken' });
  });

  it.each(['OTHER', 'UNEXPECTED_TOOL_CALL', 'SOMETHING_NEW'])('with %s is a failure', async (finish) => {
    const batches = await batchesOf([response('{"text":"Hi"}', finish)]);
    expect(batches.at(-1)!.events.at(-1)!.data).toMatchObject({
      type: 'error',
      error: { message: 'The provider stopped in the middle of its answer' },
    });
  });
});

const likely = (token: string, logProbability: string) =>
  `{"token":"${token}","tokenId":5,"logProbability":${logProbability}}`;

describe('token probabilities from Gemini', () => {
  const result = `"logprobsResult":{"chosenCandidates":[${likely('Hi', '-0.12345678901234567')},${likely('!', '0')}],"topCandidates":[{"candidates":[${likely('Hi', '-0.12345678901234567')},${likely('Oh', '-2.5')}]}],"logProbabilitySum":-0.1}`;
  const chunk = (parts: string, more = result) =>
    `data: {"candidates":[{"content":{"role":"model","parts":[${parts}]},${more}}]}\r\n\r\n`;
  const end = response('{"text":""}', 'STOP');
  const hi = { token: 'Hi', logprob: Number('-0.12345678901234567'), bytes: null };
  const told = [
    { ...hi, top_logprobs: [hi, { token: 'Oh', logprob: -2.5, bytes: null }] },
    { token: '!', logprob: 0, bytes: null, top_logprobs: [] },
  ];

  it('belong to the text that they arrived with', async () => {
    const { content } = await messageOf([chunk('{"text":"Hm.","thought":true},{"text":"Hi!"}'), end], {
      logprobs: true,
    });

    expect(content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: 'Hi!', logprobs: told }]);
  });

  it('are joined over the pieces of a text', async () => {
    const { content } = await messageOf([chunk('{"text":"Hi!"}'), chunk('{"text":"Hi!"}'), end], { logprobs: true });

    expect(content).toMatchObject([{ text: 'Hi!Hi!', logprobs: [...told, ...told] }]);
  });

  it.each<[string, string[], unknown[]]>([
    ['before the next text', [chunk('{"text":""}'), chunk('{"text":"Hi!"}')], [...told, ...told]],
    [
      'in a chunk without parts',
      [`data: {"candidates":[{${result}}]}\r\n\r\n`, chunk('{"text":"Hi!"}', '"index":0')],
      told,
    ],
    ['at the end of the answer', [chunk('{"text":"Hi!"}', '"index":0'), chunk('{"text":""}')], told],
  ])('are kept if they come without a text: %s', async (_, chunks, logprobs) => {
    const { content } = await messageOf([...chunks, end], { logprobs: true });

    expect(content).toEqual([{ type: 'text', text: 'Hi!', logprobs }]);
  });

  it('of thoughts and calls are not those of a text', async () => {
    const { content } = await messageOf([chunk('{"text":"Hm.","thought":true}'), chunk('{"text":"Hi!"}'), end], {
      logprobs: true,
    });

    expect(content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: 'Hi!', logprobs: told }]);
  });

  it('are left out if they were not requested', async () => {
    const { content } = await messageOf([chunk('{"text":"Hi!"}'), end]);

    expect(content).toEqual([{ type: 'text', text: 'Hi!' }]);
  });

  it('are left out for a token without one', async () => {
    const broken = '"logprobsResult":{"chosenCandidates":[{"token":"Hi"},{"token":"!","logProbability":-1}]}';
    const { content } = await messageOf([chunk('{"text":"Hi!"}', broken), end], { logprobs: true });

    expect(content).toMatchObject([{ logprobs: [{ token: '!', logprob: -1, bytes: null, top_logprobs: [] }] }]);
  });
});

describe('usage from Gemini', () => {
  const counts = { promptTokenCount: 1_000, candidatesTokenCount: 110, thoughtsTokenCount: 100 };

  it.each([
    ['apart from the candidates', 1_210, 210],
    ['among the candidates if the total includes them', 1_110, 110],
    ['apart from the candidates without a total', undefined, 210],
  ])('counts thoughts %s', (_case, totalTokenCount, output) => {
    expect(geminiUsage({ ...counts, totalTokenCount })).toMatchObject({ input_tokens: 1_000, output_tokens: output });
  });

  it('reports a tier with another price', () => {
    expect(geminiUsage({ ...counts, serviceTier: 'standard' })).not.toHaveProperty('service_tier');
    expect(geminiUsage({ ...counts, serviceTier: 'priority' })).toMatchObject({ service_tier: 'priority' });
  });
});

const mp3 = Buffer.from(`ID3${'x'.repeat(90_000)}`).toString('base64');
const audio = (data: string, mimeType = 'audio/mpeg') => ({ inlineData: { mimeType, data } });

describe('music from Gemini', () => {
  const request = { model: 'google/lyria-x', messages: [], modalities: ['text', 'audio'] as const };
  const songOf = (parts: object[], finishReason = 'STOP') =>
    wire.decodeWhole(
      { candidates: [{ content: { parts }, finishReason }] },
      { target, request, estimatedInputTokens: 7 },
    )!;
  const readSong = (parts: object[], finishReason?: string) => {
    const assembler = new MessageAssembler();
    for (const { data } of songOf(parts, finishReason).events) assembler.add(data);
    return assembler.finish()!;
  };

  it('is one block, with every text as its transcript', () => {
    const { content } = readSong([{ text: 'One' }, { text: 'Two' }, audio(mp3), { text: 'Three' }]);

    expect(content).toMatchObject([{ type: 'audio', data: mp3, transcript: 'One\nTwo\nThree', piece: 'songs' }]);
  });

  it('is written in pieces of whole groups of base64', () => {
    const pieces = songOf([audio(mp3)]).events.flatMap(({ data }) =>
      data.type === 'content_block_delta' && data.delta.type === 'audio_delta' ? [data.delta.data] : [],
    );

    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.slice(0, -1).every((piece) => piece.length % 4 === 0)).toBe(true);
    expect(pieces.join('')).toBe(mp3);
  });

  it.each([
    ['a padded part', ['ID3a', 'bc', 'def']],
    ['parts of one byte', ['ID3', 'a', 'b', 'c', 'd']],
    ['an end without padding', ['ID3a', 'bc', 'defg', 'hi']],
  ])('of several parts has padding only at its end: %s', (_, texts) => {
    const parts = texts.map((text) => audio(Buffer.from(text).toString('base64')));
    const pieces = songOf(parts).events.flatMap(({ data }) =>
      data.type === 'content_block_delta' && data.delta.type === 'audio_delta' ? [data.delta.data] : [],
    );

    expect(pieces.join('')).toBe(Buffer.from(texts.join('')).toString('base64'));
  });

  it('is one block and one song, also if a thought interrupts it', () => {
    const thought = { text: 'Hm.', thought: true, thoughtSignature: 'c2ln' };
    const { content } = readSong([thought, { text: 'La' }, audio(mp3), thought, { text: 'la' }]);

    expect(content).toMatchObject([
      { type: 'thinking' },
      { type: 'audio', data: mp3, transcript: 'La\nla', piece: 'songs' },
    ]);
    expect(content).toHaveLength(2);
  });

  it('begins with an ID3 tag or a frame', () => {
    for (const start of ['ID3', '\xff\xfb', '\xff\xf3', '\xff\xe3']) {
      const data = Buffer.from(`${start}music`, 'latin1').toString('base64');
      expect(readSong([audio(data)]).content).toMatchObject([{ data }]);
    }
  });

  it.each([
    ['another media type', [audio(mp3, 'image/png')]],
    ['another format', [audio(Buffer.from('RIFF....WAVE').toString('base64'))]],
    ['text in place of base64', [audio('SUQz<html>')]],
    ['an empty part', [audio('')]],
    ['no audio', [{ text: 'La la la' }]],
    ['no parts', []],
  ])('is a failure of the provider with %s', (_, parts) => {
    expect(() => songOf(parts)).toThrow(/provider (sent music|ended its answer)/);
  });

  it('leaves the text of a refusal', () => {
    const { content, stop_reason } = readSong([{ text: 'No artists, please.' }], 'PROHIBITED_CONTENT');

    expect(content).toMatchObject([{ type: 'text', text: 'No artists, please.' }]);
    expect(stop_reason).toBe('refusal');
  });
});
