import { describe, expect, it } from 'vitest';
import { UsageMeter } from '../../lambdas/accounting/meter.ts';
import type { AnswerBatch, MessagesEvent } from '../../lambdas/messages/types.ts';
import { decodeChatStream, decodeCompletion } from '../../lambdas/providers/openai-chat/decode.ts';
import type { DecodeContext } from '../../lambdas/providers/wire.ts';

const context: DecodeContext = {
  target: {
    providerId: 'test',
    upstreamModel: 'm',
    maxOutputTokens: 1_000,
    supportedParameters: [],
    quirks: {},
  },
  request: { model: 'm', messages: [] },
  estimatedInputTokens: 7,
};

/** Decodes a stream that arrives in these pieces, and returns the batches, and the failure at the end. */
async function decode(reads: string[], cut?: Error): Promise<{ batches: AnswerBatch[]; failure: Error | undefined }> {
  async function* body(): AsyncGenerator<Buffer> {
    for (const read of reads) yield await Promise.resolve(Buffer.from(read));
    if (cut) throw cut;
  }
  const batches: AnswerBatch[] = [];
  try {
    for await (const batch of decodeChatStream(body(), context)) batches.push(batch);
    return { batches, failure: undefined };
  } catch (error) {
    return { batches, failure: error as Error };
  }
}

const event = (data: object | string) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (inner: object, finish: string | null = null) => ({ choices: [{ delta: inner, finish_reason: finish }] });
const piece = (index: number, content: string) => ({ choices: [{ index, delta: { content }, finish_reason: null }] });
const usage = (prompt: number, completion: number) => ({
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion },
});
const textOf = (batches: AnswerBatch[]) =>
  batches.flatMap(({ events }) => events.map(({ data }) => wordsOf(data))).join('');
const wordsOf = (data: MessagesEvent) =>
  data.type === 'content_block_delta' && data.delta.type === 'text_delta' ? data.delta.text : '';
const stopReason = (batches: AnswerBatch[]) =>
  batches
    .flatMap(({ events }) => events)
    .map(({ data }) => (data.type === 'message_delta' ? data.delta.stop_reason : undefined))
    .find((reason) => reason !== undefined);

/** Returns the usage that the gateway would charge. */
function measured(batches: AnswerBatch[]) {
  const meter = new UsageMeter({ estimatedInputTokens: 7, promptCountedAtStart: false });
  for (const batch of batches) {
    meter.holdBack(batch.heldBackBytes ?? 0);
    for (const { data } of batch.events) meter.observe(data);
    if (batch.usage) meter.addReported(batch.usage);
  }
  return {
    ...meter.usage(),
    hasOutput: meter.hasOutput,
    outputBytes: meter.outputBytes,
    unpriced: [...meter.unpriced],
  };
}

describe('a completion without a finish reason', () => {
  it.each([{}, { finish_reason: null }, { finish_reason: '' }])('is complete: %j', (more) => {
    const message = { role: 'assistant', content: 'Hello' };
    const whole = decodeCompletion({ choices: [{ index: 0, message, ...more }] }, context)!;

    expect([textOf([whole]), stopReason([whole])]).toEqual(['Hello', 'end_turn']);
  });

  it('fails without content, or within the arguments of a call', () => {
    const call = { id: 'a', function: { name: 'look', arguments: '{"at"' } };
    for (const message of [{ content: null }, { tool_calls: [call] }]) {
      expect(() => decodeCompletion({ choices: [{ index: 0, message }] }, context)).toThrow('ended its answer');
    }
  });
});

describe('usage from a chat-completions provider', () => {
  const counts = { prompt_tokens: 1_000, completion_tokens: 13, cached_tokens: 900 };
  const billed = {
    usage: { inputTokens: 100, cacheReadTokens: 900, outputTokens: 13 },
    estimated: false,
  };

  it('is read from the first choice, where Moonshot puts it, streamed and whole', async () => {
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: counts }] };
    const { batches } = await decode([event(delta({ content: 'Hello' })) + event(last) + event('[DONE]')]);
    const message = { role: 'assistant', content: 'Hello' };
    const whole = decodeCompletion({ choices: [{ index: 0, message, finish_reason: 'stop', usage: counts }] }, context);

    expect(measured(batches)).toMatchObject(billed);
    expect(measured([whole!])).toMatchObject(billed);
  });

  it.each(['priority', 'flex', 'scale'])('reports the tier "%s", for which the catalog has no price', async (tier) => {
    const first = { ...delta({ content: 'Hello' }), service_tier: tier };
    const { batches } = await decode([event(first) + event(delta({}, 'stop')) + event(usage(20, 3)) + event('[DONE]')]);

    expect(measured(batches).unpriced).toEqual(['service_tier']);
  });

  it.each(['default', 'auto', 'standard', 'on_demand', null, 7])(
    'does not report the default tier %j',
    async (tier) => {
      const { batches } = await decode([
        event({ ...usage(20, 3), ...delta({ content: 'Hi' }, 'stop'), service_tier: tier }),
      ]);

      expect(measured(batches).unpriced).toEqual([]);
    },
  );

  it('is read next to an error', async () => {
    const { batches } = await decode([
      event(delta({ content: 'Hello' })),
      event({ ...usage(20, 30), error: { message: 'Overloaded', code: 503 } }),
    ]);
    expect(batches.at(-1)!.events.at(-1)!.data).toMatchObject({ type: 'error', error: { code: 503 } });
    expect(measured(batches)).toMatchObject({ usage: { inputTokens: 20, outputTokens: 30 }, estimated: false });
  });

  it('is read if the stream is cut after it', async () => {
    const { batches, failure } = await decode([event(delta({ content: 'Hello' })) + event(usage(20, 30))]);
    expect(failure).toMatchObject({ failure: 'broken' });
    expect(measured(batches)).toMatchObject({ usage: { inputTokens: 20, outputTokens: 30 }, estimated: false });
  });

  it('is no longer complete if text follows it', async () => {
    const { batches } = await decode([
      event(delta({ content: 'Hello' })) + event(usage(20, 1)),
      event(delta({ content: 'x'.repeat(400) })),
    ]);
    expect(measured(batches)).toMatchObject({ usage: { outputTokens: 102 }, estimated: true });
  });

  it('may get a cache count later without counting its tokens twice', async () => {
    const cached = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } };
    const { batches } = await decode([
      event(delta({ content: 'Hello' })) + event(usage(100, 1)),
      event({ choices: [], usage: cached }) + event(delta({}, 'stop')) + event('[DONE]'),
    ]);
    expect(measured(batches).usage).toMatchObject({ inputTokens: 20, cacheReadTokens: 80, outputTokens: 5 });
  });
});

describe('a chat-completions stream', () => {
  it('passes on text that arrived in the same read as invalid data', async () => {
    const { batches, failure } = await decode([event(delta({ content: 'Hello' })) + event('{"choices": [{]')]);
    expect(textOf(batches)).toBe('Hello');
    expect(failure).toMatchObject({ failure: 'malformed' });
  });

  it('is complete at [DONE] without a stop reason', async () => {
    const { batches, failure } = await decode([event(delta({ content: 'All of it.' })) + event('[DONE]')]);
    expect(failure).toBeUndefined();
    expect([textOf(batches), stopReason(batches)]).toEqual(['All of it.', 'end_turn']);
  });

  it.each([
    ['cut off', ['{"at":'], 'broken'],
    ['cut off before a complete call', ['{"at":', '{}'], 'broken'],
    ['complete', ['{"at":1}'], undefined],
    ['empty', [''], undefined],
  ])('at [DONE] without a stop reason, with %s arguments of a call: %#', async (_, calls, failure) => {
    const pieces = calls.map((json, index) =>
      event(delta({ tool_calls: [{ index, id: `a${index}`, function: { name: 'look', arguments: json } }] })),
    );

    expect((await decode([pieces.join('') + event('[DONE]')])).failure).toEqual(
      failure && expect.objectContaining({ failure }),
    );
  });

  it('fails at [DONE] without an answer', async () => {
    expect((await decode([event('[DONE]')])).failure).toMatchObject({ failure: 'malformed' });
  });

  it('is complete if its connection breaks after the stop reason', async () => {
    const reads = [event(delta({ content: 'All.' })) + event(delta({}, 'stop'))];
    const { batches, failure } = await decode(reads, new Error('reset'));
    expect(failure).toBeUndefined();
    expect([textOf(batches), stopReason(batches)]).toEqual(['All.', 'end_turn']);
  });

  it('is charged for a call that breaks off after its name', async () => {
    const call = {
      tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'get_weather', arguments: '' } }],
    };
    const { batches } = await decode([event(delta(call))]);
    expect(measured(batches)).toMatchObject({ hasOutput: true, usage: { outputTokens: 19 } });
  });

  it('counts events that wait for an incomplete call', async () => {
    const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":' } }] };
    const { batches } = await decode([event(delta(call)), event(delta({ content: 'x'.repeat(10_000) }))]);
    expect(measured(batches).outputBytes).toBeGreaterThan(10_000);
  });

  it('writes text after a call without arguments before the stream ends', async () => {
    const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] };
    const { batches } = await decode([
      event(delta(call)),
      event(delta({ content: 'x'.repeat(2_000) })),
      event(delta({ content: 'tail' })),
    ]);
    expect(textOf(batches)).toBe(`${'x'.repeat(2_000)}tail`);
  });

  it('keeps sources that arrive before their text', async () => {
    const annotation = { type: 'url_citation', url_citation: { url: 'https://e.com', title: 'E', content: 'words' } };
    const { batches } = await decode([
      event(delta({ content: '', annotations: [annotation] })) +
        event(delta({ content: 'It is so.' })) +
        event(delta({}, 'stop')) +
        event('[DONE]'),
    ]);
    const kinds = batches
      .flatMap(({ events }) => events)
      .flatMap(({ data }) => (data.type === 'content_block_delta' ? [data.delta.type] : []));
    expect(kinds).toEqual(['text_delta', 'citations_delta']);
  });

  it('has one choice, whatever others it contains', async () => {
    const { batches } = await decode([
      event(piece(0, 'I')) +
        event(piece(1, 'You')) +
        event({ choices: [piece(1, ' are').choices[0], piece(0, ' am').choices[0]] }) +
        event(delta({ content: ' here.' })) +
        event({ choices: [{ index: 1, delta: {}, finish_reason: 'length' }] }) +
        event(delta({}, 'stop')) +
        event('[DONE]'),
    ]);
    expect([textOf(batches), stopReason(batches)]).toEqual(['I am here.', 'end_turn']);
  });

  it('keeps the sources of a text', async () => {
    const annotation = { type: 'url_citation', url_citation: { url: 'https://e.com', title: 'E', content: 'words' } };
    const file = { type: 'file', file: { name: 'a.pdf', content: [{ type: 'text', text: 'page one' }] } };
    const { batches } = await decode([
      event(delta({ content: 'It is so.', annotations: [annotation, file] })) +
        event(delta({}, 'stop')) +
        event('[DONE]'),
    ]);
    const citations = batches
      .flatMap(({ events }) => events)
      .flatMap(({ data }) =>
        data.type === 'content_block_delta' && data.delta.type === 'citations_delta' ? [data.delta.citation] : [],
      );
    expect(citations).toMatchObject([
      {
        type: 'web_search_result_location',
        url: 'https://e.com',
        title: 'E',
        cited_text: 'words',
        encrypted_index: '',
      },
      { type: 'char_location', document_title: 'a.pdf', cited_text: 'page one' },
    ]);
  });

  it('reads a long event in small pieces in linear time', async () => {
    const long = event(delta({ content: 'x'.repeat(2_000_000) }, 'stop')) + event('[DONE]');
    const reads = long.match(/[\s\S]{1,512}/g)!;
    const startedMs = process.cpuUsage().user / 1_000;
    const { batches } = await decode(reads);
    expect(textOf(batches)).toHaveLength(2_000_000);
    // A parser that reads all earlier pieces again takes far longer.
    expect(process.cpuUsage().user / 1_000 - startedMs).toBeLessThan(5_000);
  });
});

describe('a completion in one document', () => {
  it('is the same answer, with its calls and its usage', () => {
    const batch = decodeCompletion(
      {
        choices: [
          {
            message: { content: 'Hi.', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"n":1}' } }] },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4 },
      },
      context,
    )!;
    expect([textOf([batch]), stopReason([batch])]).toEqual(['Hi.', 'tool_use']);
    expect(measured([batch])).toMatchObject({ usage: { inputTokens: 3, outputTokens: 4 }, estimated: false });
  });

  it('is a failure if it contains an error', () => {
    expect(decodeCompletion({ error: { message: 'No' } }, context)).toBeUndefined();
  });
});

describe('usage in several reports', () => {
  it('counts no prompt token twice if the last report omits the cache', async () => {
    const first = {
      choices: [],
      usage: { prompt_tokens: 1_000, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 900 } },
    };
    const { batches } = await decode([event(first), event(delta({ content: 'Hi' }, 'stop')), event(usage(1_000, 5))]);

    const [reported] = batches
      .flatMap(({ events }) => events)
      .flatMap(({ data }) => (data.type === 'message_delta' ? [data.usage] : []));
    expect(reported).toEqual({ input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 5 });
  });
});
