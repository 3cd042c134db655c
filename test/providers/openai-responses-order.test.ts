import { describe, expect, it } from 'vitest';
import { ResponseWriter } from '../../lambdas/client-apis/responses/stream-events.ts';
import { wholeResponse } from '../../lambdas/client-apis/responses/whole-response.ts';
import { ToolNames } from '../../lambdas/client-apis/tool-names.ts';
import type { AnswerBatch, MessagesEvent } from '../../lambdas/messages/types.ts';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import { decodeResponse, decodeResponsesStream } from '../../lambdas/providers/openai-responses/decode.ts';
import { dataIn } from '../support/sse-client.ts';

const context = {
  target: { providerId: 'acme', upstreamModel: 'up', maxOutputTokens: 1_000, supportedParameters: [], quirks: {} },
  request: { model: 'a/b', messages: [] },
  estimatedInputTokens: 7,
};

/** Returns one batch for each event with content. */
async function decode(events: object[], asked: object = {}): Promise<AnswerBatch[]> {
  async function* body(): AsyncGenerator<Buffer> {
    for (const event of events) yield await Promise.resolve(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  }
  return Array.fromAsync(decodeResponsesStream(body(), { ...context, request: { ...context.request, ...asked } }));
}

const eventsOf = (batches: AnswerBatch[]): MessagesEvent[] =>
  batches.flatMap(({ events }) => events.map(({ data }) => data));

function contentOf(batches: AnswerBatch[]) {
  const assembler = new MessageAssembler();
  for (const event of eventsOf(batches)) assembler.add(event);
  return assembler.finish()!.content;
}

const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const message = { type: 'message', content: [] };
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
const words = (output_index: number, delta: string, content_index = 0) => ({
  type: 'response.output_text.delta',
  output_index,
  content_index,
  delta,
});
const thought = (output_index: number, delta: string, summary_index = 0) => ({
  type: 'response.reasoning_summary_text.delta',
  output_index,
  summary_index,
  delta,
});
const call = (name: string, json = '') => ({ type: 'function_call', call_id: `call_${name}`, name, arguments: json });
const args = (output_index: number, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
});
const completed = { type: 'response.completed', response: { status: 'completed', usage: null } };

const phased = (phase: string, text: string) => ({
  type: 'message',
  phase,
  content: [{ type: 'output_text', text, annotations: [] }],
});

describe('messages with phases', () => {
  const output = [phased('commentary', 'Let me think.'), phased('final_answer', '{"a":1}')];
  const settings = { tools: new ToolNames(), showsSources: false, showsThinking: false };

  it('stay separate, with their phases, in streams and whole answers', async () => {
    const batches = await decode([
      added(0, { ...output[0], content: [] }),
      words(0, 'Let me think.'),
      done(0, output[0]!),
      added(1, { ...output[1], content: [] }),
      words(1, '{"a":1}'),
      done(1, output[1]!),
      completed,
    ]);

    const writer = new ResponseWriter({ generationId: 'gen-1', model: 'a/b' }, settings);
    const streamed = eventsOf(batches)
      .map((event) => writer.write(event))
      .join('');
    const last = JSON.parse(dataIn([Buffer.from(streamed)]).at(-1)!) as { response: object };
    expect(last.response).toMatchObject({ output });
    const assembler = new MessageAssembler();
    for (const event of eventsOf(batches)) assembler.add(event);
    expect(wholeResponse(assembler.finish()!, settings)).toMatchObject({ output });
    expect(JSON.stringify(assembler.finish())).not.toContain('phase');
  });

  it.each([[{ type: 'json_schema', schema: {} }], [{ type: 'json_object' }]])(
    'have commentary as thinking if the answer has to be JSON: %j',
    async (format) => {
      const events = output.flatMap((item, index) => [added(index, { ...item, content: [] }), done(index, item)]);

      expect(contentOf(await decode([...events, completed], { output_config: { format } }))).toMatchObject([
        { type: 'thinking', thinking: 'Let me think.' },
        { type: 'text', text: '{"a":1}' },
      ]);
    },
  );
});

describe('interleaved items of an answer', () => {
  it('are passed on one after another, in the order of the items', async () => {
    const batches = await decode([
      added(0, reasoning),
      added(1, message),
      added(2, call('look')),
      args(2, '{"at"'),
      words(1, 'So.'),
      thought(0, 'Hm.'),
      args(2, ':1}'),
      done(2, call('look', '{"at":1}')),
      done(1, message),
      done(0, { ...reasoning, encrypted_content: 'gAAA' }),
      completed,
    ]);
    expect(contentOf(batches)).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: expect.stringMatching(/^gw1\.acme\./) as string },
      { type: 'text', text: 'So.' },
      { type: 'tool_use', id: 'call_look', input: { at: 1 } },
    ]);
  });

  it('count as held back while they wait', async () => {
    const batches = await decode([
      added(0, reasoning),
      added(1, message),
      words(1, 'Да.'),
      done(0, reasoning),
      completed,
    ]);
    expect(batches.map(({ heldBackBytes }) => heldBackBytes)).toEqual([0, 5, 0, 0]);
  });

  it('delay a text only shortly, and lose no late part', async () => {
    const long = 'x'.repeat(1_025);
    const batches = await decode([
      added(0, reasoning),
      thought(0, 'Hm.'),
      added(1, message),
      words(1, long),
      words(1, ' Live.'),
      thought(0, ' Late.'),
      done(0, { ...reasoning, encrypted_content: 'gAAA' }),
      completed,
    ]);
    const live = batches.findIndex(({ events }) => JSON.stringify(events).includes(' Live.'));
    expect(JSON.stringify(batches[live - 1]!.events)).toContain(long);
    expect(contentOf(batches)).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: 'gw1.openai-responses' },
      { type: 'text', text: `${long} Live.` },
      { type: 'thinking', thinking: ' Late.', signature: expect.stringMatching(/^gw1\.acme\./) as string },
    ]);
  });

  it('delay a text only shortly if earlier items end meanwhile', async () => {
    const half = 'x'.repeat(600);
    const batches = await decode([
      added(0, reasoning),
      added(1, reasoning),
      added(2, message),
      words(2, half),
      done(0, reasoning),
      words(2, half),
      thought(1, 'Late.'),
      completed,
    ]);
    expect(contentOf(batches)).toMatchObject([
      { type: 'text', text: half + half },
      { type: 'thinking', thinking: 'Late.' },
    ]);
  });

  it('are bounded in number', async () => {
    const source = {
      type: 'response.output_text.annotation.added',
      output_index: 1,
      annotation: { type: 'url_citation', url: 'https://e.org' },
    };
    const batches = await decode([
      added(0, reasoning),
      added(1, message),
      words(1, 'So.'),
      ...Array.from({ length: 65_536 }, () => source),
      completed,
    ]);
    const shown = batches.findIndex(({ events }) => JSON.stringify(events).includes('So.'));
    expect(eventsOf(batches.slice(0, shown + 1)).at(-1)).toMatchObject({ delta: { type: 'citations_delta' } });
    expect(eventsOf(batches.slice(shown + 1))[0]).not.toMatchObject({ delta: { type: 'citations_delta' } });
  });

  it('are passed on at the end if one of them never ends', async () => {
    const batches = await decode([added(0, reasoning), added(1, message), words(1, 'So.'), completed]);
    expect(contentOf(batches)).toMatchObject([{ type: 'text', text: 'So.' }]);
  });

  it('are separate blocks, and so are the parts of a message', async () => {
    const batches = await decode([
      added(0, message),
      words(0, 'A'),
      words(0, 'B', 1),
      done(0, message),
      added(1, message),
      words(1, 'C'),
      completed,
    ]);
    expect(contentOf(batches).map(({ text }) => text)).toEqual(['A', 'B', 'C']);
  });

  it('separate reasoning with and without a seal', async () => {
    const batches = await decode([
      added(0, reasoning),
      thought(0, 'One.'),
      done(0, reasoning),
      added(1, reasoning),
      thought(1, 'Two.'),
      done(1, { ...reasoning, encrypted_content: 'gAAA' }),
      completed,
    ]);
    expect(contentOf(batches)).toMatchObject([
      { thinking: 'One.', signature: 'gw1.openai-responses' },
      { thinking: 'Two.', signature: expect.stringMatching(/^gw1\.acme\./) as string },
    ]);
  });
});

const part = (text: string) => ({ type: 'output_text', text });

describe('items of a nonstandard form', () => {
  it('may be in the last event alone, after reasoning that was streamed', async () => {
    const whole = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
    const output = [reasoning, whole, call('look', '{}')];
    const batches = await decode([
      added(0, reasoning),
      thought(0, 'Hm.'),
      done(0, reasoning),
      { type: 'response.completed', response: { status: 'completed', output } },
    ]);

    expect(contentOf(batches)).toMatchObject([{ thinking: 'Hm.' }, { text: 'Hi' }, { name: 'look' }]);
  });

  it.each([
    ['without a beginning', [done(0, call('look', '{"at":1}'))]],
    ['without pieces', [added(0, call('look')), done(0, call('look', '{"at":1}'))]],
    ['with its name at the end', [added(0, call('')), args(0, '{"at":1}'), done(0, call('look', '{"at":1}'))]],
    ['with arguments that are no text', [done(0, { ...call('look'), arguments: { at: 1 } })]],
    ['with a repeated end', [done(0, call('look', '{"at":1}')), done(0, call('look', '{"at":1}'))]],
  ])('are read: a call %s', async (_, events) => {
    const batches = await decode([...events, completed]);
    const [only, ...more] = contentOf(batches).filter(({ type }) => type === 'tool_use');
    expect([only, more]).toMatchObject([{ name: 'look', input: { at: 1 } }, []]);
  });

  it('have each part once if its deltas are numbered from another beginning', async () => {
    const twoParts = { type: 'message', content: [part('A tower.'), part('A bridge.')] };
    const thinking = { ...reasoning, summary: [{ type: 'summary_text', text: 'Hm.' }] };
    const late = { type: 'response.output_text.done', output_index: 1, content_index: 2, text: 'A bridge.' };
    for (const last of [words(1, 'A bridge.', 2), late]) {
      const batches = await decode([
        added(0, reasoning),
        thought(0, 'Hm.', 1),
        done(0, thinking),
        added(1, message),
        words(1, 'A tower.', 1),
        last,
        done(1, twoParts),
        completed,
      ]);

      expect(contentOf(batches)).toMatchObject([{ thinking: 'Hm.' }, { text: 'A tower.' }, { text: 'A bridge.' }]);
    }
  });

  it('have parts without deltas at their own places', async () => {
    const parts = ['A tower.', 'A bridge.'].map(part);
    const whole = { type: 'message', content: parts };
    const missing = await decode([added(0, message), words(0, 'A tower.', 3), done(0, whole), completed]);
    expect(contentOf(missing)).toMatchObject([{ text: 'A tower.' }, { text: 'A bridge.' }]);
    const second = await decode([added(0, message), words(0, 'A bridge.', 1), done(0, whole), completed]);
    expect(contentOf(second)).toMatchObject([{ text: 'A bridge.' }, { text: 'A tower.' }]);
  });

  it('are read without any start or end', async () => {
    const batches = await decode([thought(0, 'Hm.'), words(1, 'So.'), completed]);
    expect(contentOf(batches)).toMatchObject([{ thinking: 'Hm.' }, { text: 'So.' }]);
  });

  it.each([
    ['items', Array.from({ length: 4_097 }, (_, index) => words(index, '.'))],
    ['parts', Array.from({ length: 1_025 }, (_, index) => words(0, '.', index))],
  ])('are refused if there are more %s than an answer can have', async (_, endless) => {
    await expect(decode([...endless, completed])).rejects.toMatchObject({ failure: 'malformed' });
  });

  it.each([
    ['max_output_tokens', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['max_prompt_tokens', 'max_tokens'],
  ])('with the end %s have the stop reason %s, whatever was called', async (reason, stopReason) => {
    const incomplete = { status: 'incomplete', incomplete_details: { reason } };
    const batches = await decode([
      done(0, call('look', '{"at":1}')),
      { type: 'response.incomplete', response: incomplete },
    ]);
    expect(eventsOf(batches).at(-2)).toMatchObject({ delta: { stop_reason: stopReason } });
  });
});

describe('the start of a Responses answer', () => {
  it('waits for its first item, and until then another provider may answer', async () => {
    const opening = ['created', 'queued', 'in_progress'].map((type) => ({ type: `response.${type}`, response: {} }));
    const batches = await decode([...opening, { type: 'error', message: 'Overloaded', code: 'server_is_overloaded' }]);
    expect(eventsOf(batches)).toMatchObject([{ type: 'error', error: { code: 'server_is_overloaded' } }]);
  });
});

describe('items with the same index', () => {
  it('are complete if one has ended before the next begins', async () => {
    const batches = await decode([
      added(0, message),
      words(0, 'So.'),
      done(0, message),
      added(0, call('look')),
      args(0, '{"at":1}'),
      done(0, call('look', '{"at":1}')),
      added(0, call('leap')),
      done(0, call('leap', '{"at":2}')),
      completed,
    ]);
    expect(contentOf(batches)).toMatchObject([
      { type: 'text', text: 'So.' },
      { type: 'tool_use', id: 'call_look', input: { at: 1 } },
      { type: 'tool_use', id: 'call_leap', input: { at: 2 } },
    ]);
  });

  it('are complete if only their ends are reported, and appear once if they are reported twice', async () => {
    const look = done(0, call('look', '{"at":1}'));
    const batches = await decode([look, look, done(0, call('leap', '{"at":2}')), completed]);

    expect(contentOf(batches)).toMatchObject([
      { type: 'tool_use', id: 'call_look', input: { at: 1 } },
      { type: 'tool_use', id: 'call_leap', input: { at: 2 } },
    ]);
  });

  it('fail the answer if they are open concurrently, because their parts are ambiguous', async () => {
    const events = [added(0, call('look')), added(0, call('leap')), args(0, '{}'), completed];

    await expect(decode(events)).rejects.toThrow('began a part of its answer in the place of another');
  });
});

const bareItem = (type: string, one: object) => ({ type: `response.output_item.${type}`, item: one });
const bareDelta = (type: string, item_id: string, text: string) => ({
  type: `response.${type}.delta`,
  item_id,
  delta: text,
});

// Source: https://github.com/lemonade-sdk/lemonade/issues/3607
it('items without an index are told apart by their ids, as those of llama.cpp', async () => {
  const text = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'So.' }] };
  const calls = ['look', 'leap'].map((name) => ({ ...call(name, '{"at":1}'), id: `fc_${name}` }));
  const batches = await decode([
    bareItem('added', reasoning),
    bareDelta('reasoning_text', 'rs_1', 'Hm.'),
    bareItem('added', { ...text, content: [] }),
    bareDelta('output_text', 'msg_1', 'So.'),
    ...calls.flatMap((one) => [
      bareItem('added', { ...one, arguments: '' }),
      bareDelta('function_call_arguments', one.id, '{"at":1}'),
    ]),
    bareItem('done', { ...reasoning, content: [{ type: 'reasoning_text', text: 'Hm.' }] }),
    bareItem('done', text),
    ...calls.map((one) => bareItem('done', one)),
    completed,
  ]);

  expect(contentOf(batches)).toMatchObject([
    { type: 'thinking', thinking: 'Hm.' },
    { type: 'text', text: 'So.' },
    { type: 'tool_use', id: 'call_look', input: { at: 1 } },
    { type: 'tool_use', id: 'call_leap', input: { at: 1 } },
  ]);
});

it('null items, and progress without a response, are ignored', async () => {
  const batches = await decode([
    { type: 'response.in_progress' },
    { type: 'response.output_item.added', output_index: 0, item: null },
    added(1, message),
    words(1, 'So.'),
    { type: 'response.output_item.done', output_index: 0, item: null },
    done(1, message),
    completed,
  ]);

  expect(contentOf(batches)).toMatchObject([{ type: 'text', text: 'So.' }]);
});

it.each([false, true])('null items and parts of a complete response are ignored: streamed %s', async (isStreamed) => {
  const said = { ...message, content: [null, { type: 'output_text', text: 'So.' }] };
  const response = { status: 'completed', output: [null, said], usage: null };
  const batches = isStreamed
    ? await decode([{ type: 'response.completed', response }])
    : [decodeResponse(response, context)!];

  expect(contentOf(batches)).toMatchObject([{ type: 'text', text: 'So.' }]);
});

describe('a failed response', () => {
  const silent = { type: 'response.failed', response: { status: 'failed', error: null, output: [] } };

  it('has the error of a later event, as Azure sends it', async () => {
    const error = { message: 'Filtered.', type: 'invalid_request_error', code: 'content_policy_violation' };
    const events = eventsOf(await decode([added(0, message), words(0, 'Hi'), silent, { type: 'error', error }]));

    expect(events.at(-1)).toEqual({ type: 'error', error });
  });

  it('ends the answer if no event has its error', async () => {
    const events = eventsOf(await decode([added(0, message), words(0, 'Hi'), silent]));

    expect(events.at(-1)).toEqual({ type: 'error', error: undefined });
  });

  it('has the error that a relay writes next to it', async () => {
    const error = { message: 'Overloaded', type: 'server_error', code: 'server_is_overloaded' };
    const failed = { type: 'response.failed', response: { status: 'failed', error: null, output: [] }, error };
    expect(eventsOf(await decode([added(0, message), words(0, 'Hi'), failed])).at(-1)).toEqual({
      type: 'error',
      error,
    });
  });
});
