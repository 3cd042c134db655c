import { describe, expect, it } from 'vitest';
import { ChunkWriter } from '../../lambdas/client-apis/chat/chunks.ts';
import { chatCompletion } from '../../lambdas/client-apis/chat/completion.ts';
import { chatRequestSchema, type ChatCall } from '../../lambdas/client-apis/chat/request.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { encodeChatRequest } from '../../lambdas/providers/openai-chat/encode.ts';
import { refusalBlock } from '../../lambdas/messages/refusal-block.ts';
import type { Block, Delta, MessagesEvent, StopReason } from '../../lambdas/messages/types.ts';
import { wholeMessage } from '../support/answer-arbitrary.ts';
import { refused } from '../support/refused.ts';
import { dataIn } from '../support/sse-client.ts';

const look = { name: 'files.look', description: 'Looks.', parameters: {} };
const user = { role: 'user', content: 'Hi' };
const read = (more: object) => parseWith(chatRequestSchema, { model: 'm', messages: [user], ...more });
const identity = { generationId: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', model: 'm' };
const usage = { input_tokens: 1, output_tokens: 1 };

function answerOf(block: Block, delta: Delta, reason: StopReason): MessagesEvent[] {
  const ending = { stop_reason: null, stop_sequence: null };
  return [
    {
      type: 'message_start',
      message: {
        id: identity.generationId,
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        ...ending,
        usage,
      },
    },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { ...ending, stop_reason: reason }, usage },
    { type: 'message_stop' },
  ];
}

interface Choice {
  message: Record<string, unknown>;
  finish_reason: string;
  logprobs: unknown;
}
interface Chunk {
  choices: { delta: Record<string, unknown>; finish_reason: string | null; logprobs?: unknown }[];
  usage?: object;
}

function written(events: MessagesEvent[], call: ChatCall): Chunk[] {
  const writer = new ChunkWriter(identity, call);
  const data = dataIn([Buffer.from(events.map((event) => writer.write(event)).join(''))]);
  return data.slice(0, -1).map((text) => JSON.parse(text) as Chunk);
}

function wholeOf(events: MessagesEvent[], call: ChatCall): Choice {
  return (chatCompletion(wholeMessage(events), call) as { choices: Choice[] }).choices[0]!;
}

describe('functions in the older form', () => {
  const call = read({ functions: [look], function_call: { name: 'files.look' } });

  it('become tools with one call at a time', () => {
    const { tools, tool_choice: choice } = call.message;

    expect(tools).toMatchObject([{ description: 'Looks.', input_schema: { type: 'object' } }]);
    expect(choice).toEqual({ type: 'tool', name: tools![0]!.name, disable_parallel_tool_use: true });
  });

  it('may be called by an earlier answer next to speech without its words', () => {
    const called = { role: 'assistant', audio: { id: 'audio_1' }, function_call: { name: 'look', arguments: '{}' } };
    const { message } = read({ functions: [look], messages: [{ role: 'user', content: 'Look.' }, called] });

    expect(message.messages[1]!.content).toMatchObject([{ type: 'tool_use', name: 'look' }]);
  });

  it('are called in the older form', () => {
    const block = { type: 'tool_use', id: 'c', name: call.message.tools![0]!.name, input: {} };
    const events = answerOf(block, { type: 'input_json_delta', partial_json: '{"a":1}' }, 'tool_use');

    expect(wholeOf(events, call)).toMatchObject({
      message: { content: null, function_call: { name: 'files.look', arguments: '{"a":1}' } },
      finish_reason: 'function_call',
    });
    const pieces = written(events, call).flatMap(({ choices }) => choices.map(({ delta }) => delta['function_call']));
    expect(pieces).toEqual([undefined, { name: 'files.look', arguments: '' }, { arguments: '{"a":1}' }, undefined]);
  });

  it('have calls and results in a history', () => {
    const { messages } = read({
      messages: [
        user,
        { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{"a":1}' } },
        { role: 'function', name: 'look', content: 'One' },
        { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
        { role: 'function', name: 'look', content: 'Two' },
      ],
    }).message;

    expect(messages.slice(1)).toMatchObject([
      { content: [{ type: 'tool_use', id: 'call_look', name: 'look', input: { a: 1 } }] },
      { content: [{ type: 'tool_result', tool_use_id: 'call_look', content: 'One' }] },
      { content: [{ id: 'call_look_2' }] },
      { content: [{ tool_use_id: 'call_look_2', content: 'Two' }] },
    ]);
  });

  it('are refused next to tools, and if the choice names no function', () => {
    const tools = [{ type: 'function', function: look }];

    expect(refused(() => read({ functions: [look], tools })).metadata).toMatchObject({ field: 'functions' });
    const unknown = () => read({ functions: [look], function_call: { name: 'x' } });
    expect(refused(unknown).metadata).toMatchObject({ field: 'function_call' });
  });
});

describe('the refusal text of a model', () => {
  it('becomes the refusal of a message and not its content', () => {
    const events = answerOf(refusalBlock(), { type: 'text_delta', text: 'I cannot do that.' }, 'refusal');

    expect(wholeOf(events, read({}))).toMatchObject({
      message: { content: null, refusal: 'I cannot do that.' },
      finish_reason: 'stop',
    });
    const chunks = written(events, read({}));
    expect(chunks[1]!.choices[0]!.delta).toEqual({ refusal: 'I cannot do that.' });
    expect(chunks.at(-1)!.choices[0]).toMatchObject({ finish_reason: 'stop' });
  });
});

describe('the usage of a stream', () => {
  it('is in its own chunk only if the client requests that', () => {
    const events = answerOf({ type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }, 'end_turn');

    const last = written(events, read({})).at(-1)!;
    const asked = written(events, read({ stream_options: { include_usage: true } })).at(-1)!;

    expect(last).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 1 } });
    expect(asked).toMatchObject({ choices: [], usage: { prompt_tokens: 1 } });
  });
});

describe('probabilities of tokens', () => {
  it('are in the choice, streamed and whole', () => {
    const logprobs = [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }];
    const events = answerOf({ type: 'text', text: '' }, { type: 'text_delta', text: 'Hi', logprobs }, 'end_turn');
    const call = read({ logprobs: true });

    expect(wholeOf(events, call).logprobs).toEqual({ content: logprobs, refusal: null });
    expect(written(events, call)[1]!.choices[0]!.logprobs).toEqual({ content: logprobs, refusal: null });
  });
});

it('the detail of an image reaches providers that take it, and no other', () => {
  const url = 'data:image/png;base64,AAAA';
  const part = (detail?: string) => ({ type: 'image_url', image_url: { url, ...(detail ? { detail } : {}) } });
  const { message } = read({
    messages: [{ role: 'user', content: [part('low'), part('auto'), part('original'), part()] }],
  });
  const target = { providerId: 'acme', upstreamModel: 'up', maxOutputTokens: undefined, supportedParameters: [] };
  const sentWith = (quirks: object) =>
    (encodeChatRequest(message, { ...target, quirks })['messages'] as { content: unknown }[])[0]!.content;

  expect(sentWith({ image_detail: true })).toEqual([part('low'), part(), part(), part()]);
  expect(sentWith({})).toEqual([part(), part(), part(), part()]);
  expect(JSON.stringify(message)).not.toContain('low');
});

describe('cache marks of a chat', () => {
  it("may be on a message, on a part, and in OpenAI's form", () => {
    const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } };
    const { messages, system } = read({
      messages: [
        { role: 'system', content: 'Be short.', cache_control: { type: 'ephemeral' } },
        { role: 'user', content: [{ type: 'text', text: 'Hi', ...breakpoint }] },
        { role: 'assistant', content: 'Yes', ...breakpoint },
        user,
      ],
    }).message;

    const mark = { cache_control: { type: 'ephemeral' } };
    expect(system).toEqual([{ type: 'text', text: 'Be short.', ...mark }]);
    expect(messages[0]!.content).toEqual([{ type: 'text', text: 'Hi', ...mark }]);
    expect(messages[1]!.content).toEqual([{ type: 'text', text: 'Yes', ...mark }]);
  });

  it('may be inside the function of a tool, and on a message that only calls', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const { messages, tools } = read({
      tools: [
        { type: 'function', function: { name: 'look', ...mark } },
        { type: 'function', function: { name: 'go', cache_control: null }, ...mark },
      ],
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
          ...mark,
        },
        { role: 'tool', tool_call_id: 'a', content: 'Seen' },
      ],
    }).message;

    expect(tools).toMatchObject([
      { name: 'look', ...mark },
      { name: 'go', ...mark },
    ]);
    expect(messages[1]!.content).toMatchObject([{ type: 'tool_use', ...mark }]);
  });
});
