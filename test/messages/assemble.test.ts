import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { Block, MessagesEvent, WireUsage } from '../../lambdas/messages/types.ts';
import { messageWith } from '../support/upstream.ts';

const start: MessagesEvent = { type: 'message_start', message: messageWith({ input_tokens: 10, output_tokens: 1 }) };
const open = (index: number, block: Block): MessagesEvent => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const delta = (index: number, of: { type: string; [field: string]: unknown }): MessagesEvent => ({
  type: 'content_block_delta',
  index,
  delta: of as never,
});
const end = (usage: WireUsage, more: object = {}): MessagesEvent => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null, ...more },
  usage,
});

function assembled(...events: MessagesEvent[]) {
  const assembler = new MessageAssembler();
  for (const event of events) assembler.add(event);
  return assembler.finish();
}

const blockOf = (...events: MessagesEvent[]) => assembled(start, ...events)!.content[0];

const call = (...json: string[]) =>
  blockOf(
    open(0, { type: 'tool_use', id: 't', name: 'n', input: {} }),
    ...json.map((partial_json) => delta(0, { type: 'input_json_delta', partial_json })),
  );

describe('an assembled message', () => {
  it('is undefined before its start', () => {
    expect(assembled({ type: 'ping' }, delta(0, { type: 'text_delta', text: 'x' }))).toBeUndefined();
  });

  it('has its blocks in the order of their indices', () => {
    const message = assembled(
      start,
      open(1, { type: 'text', text: 'b' }),
      open(0, { type: 'thinking', thinking: 'a' }),
    );

    expect(message!.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
  });

  it('has its last stop reason and usage, and keeps earlier fields that the last event omits', () => {
    const message = assembled(
      start,
      end({ output_tokens: 5, input_tokens: null }, { stop_reason: 'tool_use', container: { id: 'c' } }),
      end({ output_tokens: 7 }, { stop_reason: null }),
    );

    expect(message).toMatchObject({
      stop_reason: 'tool_use',
      container: { id: 'c' },
      usage: { input_tokens: 10, output_tokens: 7 },
    });
  });

  it('has a null of its last event only for unknown values', () => {
    const message = assembled(start, end({ output_tokens: 5 }, { stop_details: null, stop_reason: null }));

    expect(message).toMatchObject({ stop_details: null, stop_reason: null });
  });

  it('has additional fields of its last event', () => {
    const last = { ...end({ output_tokens: 5 }), context_management: { applied_edits: [] } };

    expect(assembled(start, last)).toMatchObject({ id: 'msg_1', context_management: { applied_edits: [] } });
  });
});

describe('an assembled block', () => {
  it('with text has the text of its start and of its deltas', () => {
    const block = blockOf(
      open(0, { type: 'text', text: 'One' }),
      delta(0, { type: 'text_delta', text: ' two' }),
      delta(0, { type: 'text_delta', text: ' three' }),
    );

    expect(block).toEqual({ type: 'text', text: 'One two three' });
  });

  it('with thinking has its signature', () => {
    const block = blockOf(
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'signature_delta', signature: 'abc' }),
    );

    expect(block).toEqual({ type: 'thinking', thinking: 'Hm', signature: 'abc' });
  });

  it('has all of its citations, those of its start first and unchanged', () => {
    const first = { type: 'text', text: '', citations: ['a'] };

    const block = blockOf(
      open(0, first),
      delta(0, { type: 'citations_delta', citation: 'b' }),
      delta(0, { type: 'citations_delta', citation: 'c' }),
    );

    expect([block!['citations'], first.citations]).toEqual([['a', 'b', 'c'], ['a']]);
  });

  it('has the content of deltas of unknown types', () => {
    const block = blockOf(open(0, { type: 'compaction' }), delta(0, { type: 'compaction_delta', content: 'short' }));

    expect(block).toEqual({ type: 'compaction', content: 'short' });
  });

  it('without a start is not created by its deltas', () => {
    expect(assembled(start, delta(3, { type: 'text_delta', text: 'x' }))!.content).toEqual([]);
  });
});

describe('the input of an assembled tool call', () => {
  it('is parsed from its pieces, with exact numbers', () => {
    expect(JSON.stringify(call('{"n":900719925474', '0993}')!['input'])).toBe('{"n":9007199254740993}');
  });

  it('is that of its start without deltas', () => {
    expect(call()!['input']).toEqual({});
  });

  it('is empty if it was cut', () => {
    expect(call('{"city": "Mosc')!['input']).toEqual({});
  });
});

const calling = (json: string, reason: string) =>
  assembled(
    start,
    open(0, { type: 'tool_use', id: 't', name: 'n', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: json }),
    end({ output_tokens: 5 }, { stop_reason: reason }),
  );

describe('a tool call with unreadable arguments', () => {
  it.each(['{"city": }', '"Moscow"', '42', '[1]'])('is marked as not to be run: %s', (json) => {
    expect(calling(json, 'tool_use')).toMatchObject({
      content: [{ type: 'tool_use', input: {} }],
      stop_reason: 'max_tokens',
      metadata: { error_type: 'provider_unavailable', message: expect.stringContaining('not a JSON object') as string },
    });
  });

  it.each(['{"city": "Moscow"}', 'null'])('is not marked if its arguments are valid or absent: %s', (json) => {
    const message = calling(json, 'tool_use');

    expect(message).toMatchObject({ stop_reason: 'tool_use' });
    expect(message).not.toHaveProperty('metadata');
  });

  it('changes nothing if the stop reason does not require a run', () => {
    expect(calling('{"city', 'max_tokens')).not.toHaveProperty('metadata');
  });
});
