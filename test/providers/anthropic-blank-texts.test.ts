/** Blank texts in requests over the Anthropic wire. */

import { describe, expect, it } from 'vitest';
import type { Block, Message } from '../../lambdas/messages/types.ts';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { shippedQuirks } from '../support/catalog.ts';

const target = { providerId: 'p', upstreamModel: 'claude', maxOutputTokens: 10_000, supportedParameters: [] };
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

const text = (words: string) => ({ type: 'text', text: words });
const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
const result = (...content: object[]) => ({ type: 'tool_result', tool_use_id: 'toolu_1', content });
const of = (role: 'user' | 'assistant', ...content: object[]) => ({ role, content: content as Block[] });
const foreign = { type: 'thinking', thinking: 'Hm.', signature: 'gw1.openai-chat' };
const signed = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' };
const places: [string, object][] = [
  ['Anthropic', shippedQuirks('anthropic')!],
  ['Bedrock', { envelope: 'bedrock-invoke' }],
  ['Google Cloud', shippedQuirks('google-vertex-anthropic')!],
  ['a service with the Messages API', { own_signatures: true }],
];

const contentsAt = (quirks: object, messages: Message[], system?: string | Block[]) => {
  const request = { model: 'a', max_tokens: 5, messages, ...(system === undefined ? {} : { system }) };
  const { body } = anthropicWire.encode(request, { ...target, quirks }, client);
  const read = JSON.parse(body) as { messages: Message[]; system?: unknown };
  return { contents: read.messages.map(({ content }) => content), system: read.system };
};

describe('a blank text', () => {
  it.each(places)('of another model is not sent to %s', (_name, quirks) => {
    const messages = [
      of('user', text('Hi')),
      of('assistant', foreign, text('\n\n'), call),
      of('user', result(text('Water.'))),
      of('assistant', foreign, text(' ')),
      of('user', text('And?')),
    ];
    const { contents } = contentsAt(quirks, messages);
    expect([contents[1], contents[3]]).toEqual([[call], [text('(empty)')]]);
  });

  it.each(places.slice(0, 3))('is sent to %s if the signature of Claude may cover it', (_name, quirks) => {
    const messages = [
      of('user', text('Hi')),
      of('assistant', signed, text(''), text('\n\n'), call),
      of('user', result(text('Water.'))),
    ];
    expect(contentsAt(quirks, messages).contents[1]).toEqual([signed, text('\n\n'), call]);
  });

  const blanks = [of('user', text(' '), text('Hi')), of('assistant', call), of('user', result(text('')), text(''))];

  it.each(places.slice(1))('of the user and in the system prompt is not sent to %s', (_name, quirks) => {
    const sent = contentsAt(quirks, [...blanks, of('assistant', text('Well.')), of('user', text('\n'))], [text('  ')]);
    expect(sent.contents.filter((_, index) => index % 2 === 0)).toEqual([
      [text('Hi')],
      [{ ...result(), content: '' }],
      [text('(empty)')],
    ]);
    expect(sent.system).toBeUndefined();
    expect(contentsAt(quirks, blanks, ' ').system).toBeUndefined();
  });

  it('of the user is sent to Anthropic, which names it to the client', () => {
    const { contents, system } = contentsAt(shippedQuirks('anthropic')!, blanks, [text('  ')]);
    expect([contents[0], contents[2], system]).toEqual([blanks[0]!.content, blanks[2]!.content, [text('  ')]]);
  });
});
