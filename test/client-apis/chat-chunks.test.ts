import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkWriter } from '../../lambdas/client-apis/chat/chunks.ts';
import { ToolNames } from '../../lambdas/client-apis/tool-names.ts';
import { chatCompletion } from '../../lambdas/client-apis/chat/completion.ts';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import { errorEnvelope, GatewayError } from '../../lambdas/platform/errors.ts';
import { answerEvents, byteCuts, cutBytes, interleaved, wholeMessage } from '../support/answer-arbitrary.ts';
import { dataIn } from '../support/sse-client.ts';

const identity = { generationId: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', model: 'sandbox/claude' };

interface Call {
  index: number;
  id?: string;
  type?: string;
  function: { name?: string; arguments?: string };
}

interface Detail {
  type: string;
  index: number;
  text?: string;
  signature?: string;
}

interface Chunk {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: {
    index: number;
    delta: {
      role?: string;
      content?: string;
      reasoning?: string;
      reasoning_details?: Detail[];
      tool_calls?: Call[];
      annotations?: object[];
    };
    finish_reason: string | null;
    native_finish_reason?: string;
  }[];
  usage?: object;
  error?: { code: number; message: string };
}

const settings = { showsReasoning: true, tools: new ToolNames(), hasOlderCalls: false, hasUsageChunk: true };

function written(events: readonly MessagesEvent[], asked: Partial<typeof settings> = {}): string {
  const writer = new ChunkWriter(identity, { ...settings, ...asked });
  return events.map((event) => writer.write(event)).join('');
}

function chunksIn(data: readonly string[]): Chunk[] {
  expect(data.at(-1)).toBe('[DONE]');
  return data.slice(0, -1).map((text) => JSON.parse(text) as Chunk);
}

/** Joins pieces with the same index, as clients do. */
function joinedDetails(details: readonly Detail[]): Detail[] {
  const joined = new Map<number, Detail>();
  for (const detail of details) {
    const known = joined.get(detail.index);
    const text = (known?.text ?? '') + (detail.text ?? '');
    joined.set(detail.index, { ...known, ...detail, ...(detail.type === 'reasoning.text' ? { text } : {}) });
  }
  return [...joined.values()];
}

/** Assembles chunks as a client does. */
function accumulated(chunks: readonly Chunk[]) {
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const calls = new Map<number, { id: string; type: string; function: { name: string; arguments: string } }>();
  for (const { index, id, type, function: part } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const call = calls.get(index) ?? { id: id!, type: type!, function: { name: part.name!, arguments: '' } };
    call.function.arguments += part.arguments ?? '';
    calls.set(index, call);
  }
  return {
    content: deltas.map(({ content }) => content ?? '').join(''),
    reasoning: deltas.map(({ reasoning }) => reasoning ?? '').join(''),
    details: joinedDetails(deltas.flatMap((delta) => delta.reasoning_details ?? [])),
    calls: [...calls.values()],
    annotations: deltas.flatMap((delta) => delta.annotations ?? []),
    usage: chunks.findLast(({ usage }) => usage)?.usage,
    finish: chunks.flatMap(({ choices }) => choices.flatMap((choice) => choice.finish_reason ?? [])),
  };
}

const readIn = (events: readonly MessagesEvent[]) => {
  const { calls, details, finish } = accumulated(chunksIn(dataIn(cutBytes(written(events), []))));
  return { calls, details: details.toSorted((one, other) => one.index - other.index), finish };
};

/** Reads an answer without the places of thinking: a block that begins before the end of another one has no exact place. */
const withoutPlaces = (events: readonly MessagesEvent[]) => {
  const { details, ...others } = readIn(events);
  return { ...others, details: details.map((detail) => ({ ...detail, id: undefined })) };
};

const cutOff = (output_tokens: number): MessagesEvent => ({
  type: 'message_delta',
  delta: { stop_reason: 'max_tokens', stop_sequence: null },
  usage: { output_tokens },
});

interface Completion {
  choices: [
    {
      message: {
        content: string | null;
        reasoning?: string;
        reasoning_details?: Detail[];
        tool_calls?: object[];
        annotations?: object[];
      };
      finish_reason: string;
    },
  ];
  usage: object;
}

describe('a streamed chat', () => {
  it('has the same message as a whole answer, at any cuts of its bytes', () => {
    fc.assert(
      fc.property(answerEvents, byteCuts, (events, cuts) => {
        const whole = chatCompletion(wholeMessage(events), settings) as unknown as Completion;
        const [{ message, finish_reason: reason }] = whole.choices;

        const streamed = accumulated(chunksIn(dataIn(cutBytes(written(events), cuts))));

        expect(streamed).toEqual({
          content: message.content ?? '',
          reasoning: message.reasoning ?? '',
          details: message.reasoning_details ?? [],
          calls: message.tool_calls ?? [],
          annotations: message.annotations ?? [],
          usage: whole.usage,
          finish: [reason],
        });
      }),
    );
  });

  it('has the same calls and thinking if pieces of the blocks alternate', () => {
    fc.assert(
      fc.property(answerEvents, (events) => {
        expect(withoutPlaces(interleaved(events))).toEqual(withoutPlaces(events));
      }),
    );
  });

  it('has one finish reason, after all content, if a provider reports usage and closes blocks after it', () => {
    const events: MessagesEvent[] = [
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} } },
      cutOff(1),
      { type: 'content_block_stop', index: 0 },
      cutOff(500),
      { type: 'message_stop' },
    ];

    const chunks = chunksIn(dataIn(cutBytes(written(events), [])));

    expect(chunks.map(({ choices }) => choices.map((choice) => choice.finish_reason))).toEqual([
      [null],
      [null],
      ['length'],
      [],
    ]);
    expect(chunks.at(-1)!.usage).toMatchObject({ completion_tokens: 500 });
  });

  it('has chunks with every member that strict clients require, and no null that they refuse', () => {
    fc.assert(
      fc.property(answerEvents, (events) => {
        const chunks = chunksIn(dataIn(cutBytes(written(events), [])));

        for (const chunk of chunks) {
          expect(chunk).toMatchObject({
            id: identity.generationId,
            object: 'chat.completion.chunk',
            model: 'sandbox/claude',
          });
          expect(Object.values(chunk)).not.toContain(null);
          for (const choice of chunk.choices) {
            expect(choice).toMatchObject({ index: 0, delta: expect.any(Object) as unknown });
            expect(Object.values(choice.delta)).not.toContain(null);
            expect('finish_reason' in choice).toBe(true);
          }
        }
        expect(chunks[0]!.choices[0]!.delta).toEqual({ role: 'assistant', content: '' });
        expect(chunks.at(-1)).toMatchObject({ choices: [], usage: expect.any(Object) as unknown });
      }),
    );
  });

  it('has no thinking if the client excludes it', () => {
    fc.assert(
      fc.property(answerEvents, (events) => {
        expect(written(events, { showsReasoning: false })).not.toMatch(/"reasoning(?:_content|_details)?":/);
      }),
    );
  });

  it('ends with an error that every client finds, and with the end marker of some clients', () => {
    const writer = new ChunkWriter(identity, settings);
    const error = new GatewayError('provider_overloaded', 'Overloaded');

    const failed = writer.fail(errorEnvelope(error, 'req_1'));
    const [text, done] = dataIn(cutBytes(failed, []));

    expect(failed).toMatch(/^data: \{"error":.*\}\nevent: error\n\n/);
    expect(JSON.parse(text!)).toMatchObject({
      id: identity.generationId,
      choices: [{ index: 0, delta: { annotations: [{ type: 'error' }] }, finish_reason: 'error' }],
      error: { code: 529, message: 'Overloaded', param: null },
    });
    expect(done).toBe('[DONE]');
  });
});

const jsonPiece = (json: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'input_json_delta', partial_json: json },
});

describe('a call of a custom tool', () => {
  const tools = new ToolNames([{ name: 'run', kind: 'custom' }]);
  const begin = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'c1', name: 'run', input: {} },
  };
  const written = (events: object[]) => {
    const writer = new ChunkWriter(identity, { ...settings, tools });
    const chunks = events.map((event) => writer.write(event as MessagesEvent)).join('');
    return dataIn([Buffer.from(chunks)]).map(
      (data) => (JSON.parse(data) as { choices: { delta: object }[] }).choices[0]!.delta,
    );
  };
  const end = { type: 'content_block_stop', index: 0 };

  it('begins with its name, and has its input in one piece when the input is complete', () => {
    expect(written([begin, jsonPiece('{"input":"a\\n'), jsonPiece('b"}'), end])).toEqual([
      { tool_calls: [{ index: 0, id: 'c1', type: 'custom', custom: { name: 'run', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'a\nb' } }] },
    ]);
  });

  it('has its partial input if a limit has cut it', () => {
    expect(written([begin, jsonPiece('{"input":"a'), end]).at(-1)).toEqual({
      tool_calls: [{ index: 0, custom: { input: '{"input":"a' } }],
    });
  });

  it('is the same in a whole answer', () => {
    const content = [{ type: 'tool_use', id: 'c1', name: 'run', input: { input: 'x' } }];
    const message = { id: identity.generationId, content, usage: {} } as unknown as Parameters<
      typeof chatCompletion
    >[0];

    expect(chatCompletion(message, { ...settings, tools })).toMatchObject({
      choices: [{ message: { tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'run', input: 'x' } }] } }],
    });
  });
});
