/** Calls and results in conversations that other servers and agents wrote. */

import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';

const user = { role: 'user', content: 'Hi' };
const image = 'data:image/png;base64,iVBORw0KGgo=';

const blocksOf = ({ messages }: Pick<MessagesRequest, 'messages'>): Block[] =>
  messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content)).filter(({ type }) => type !== 'text');
const chat = (...messages: object[]) =>
  blocksOf(chatRequestSchema.parse({ model: 'm', messages: [user, ...messages] }).message);
const responses = (...items: object[]) =>
  blocksOf(responsesRequestSchema.parse({ model: 'm', input: [user, ...items] }).message);

const call = (id: unknown, args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: args },
});
const calls = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (id: unknown, content: unknown = 'Seen.') => ({ role: 'tool', tool_call_id: id, content });
const idsOf = (blocks: Block[]) => blocks.map(({ id, tool_use_id: of }) => id ?? of);

describe('ids of calls in a chat from another server', () => {
  it('may be numbers', () => {
    expect(idsOf(chat(calls(call(0), call(7)), result(7), result(0)))).toEqual(['0', '7', '7', '0']);
  });

  it.each([[''], [null], [undefined]])('may be missing: %j', (none) => {
    const turn = [calls(call(none), call(none)), result(none, 'One'), result(none, 'Two')];
    expect(idsOf(chat(...turn, ...turn))).toEqual([
      'call',
      'call_2',
      'call',
      'call_2',
      'call_3',
      'call_4',
      'call_3',
      'call_4',
    ]);
  });

  it('may be missing in results alone, which follow the order of their calls', () => {
    expect(idsOf(chat(calls(call('a'), call('b')), result(null), result(''), calls(call('c')), result(null)))).toEqual([
      'a',
      'b',
      'a',
      'b',
      'c',
      'c',
    ]);
  });

  it('are unchanged in a result without a call', () => {
    expect(idsOf(chat(calls(call('a')), result('a'), result('z')))).toEqual(['a', 'a', 'z']);
  });
});

it('a call that is also a block of its message is one call', () => {
  const block = { type: 'tool_use', id: 'a', name: 'look', input: {} };
  const said = { ...calls(call('a'), call('b')), content: [{ type: 'text', text: 'I look.' }, block] };
  expect(idsOf(chat(said, result('a'), result('b')))).toEqual(['a', 'b', 'a', 'b']);
});

describe('ids of calls in the input of a response', () => {
  it('may be numbers', () => {
    const items = [
      { type: 'function_call', call_id: 0, name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 0, output: 'Seen.' },
    ];
    expect(idsOf(responses(...items))).toEqual(['0', '0']);
  });
});

describe('the arguments of a call', () => {
  it.each<[unknown, object]>([
    ['', {}],
    [' null ', {}],
    [null, {}],
    [undefined, {}],
    [{ place: 'here' }, { place: 'here' }],
    ['[1]', { arguments: '[1]' }],
  ])('may be %j', (args, input) => {
    expect(chat(calls(call('a', args)), result('a'))[0]).toMatchObject({ input });
    const item = { type: 'function_call', call_id: 'a', name: 'look', arguments: args };
    expect(responses(item, { type: 'function_call_output', call_id: 'a', output: 'x' })[0]).toMatchObject({ input });
  });
});

describe('the result of a call', () => {
  it('may be an object in a chat', () => {
    expect(chat(calls(call('a')), result('a', { seen: 7 }))[1]).toMatchObject({ content: '{"seen":7}' });
  });

  it.each([null, undefined])('may be nothing in the input of a response: %j', (output) => {
    const item = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
    expect(responses(item, { type: 'function_call_output', call_id: 'a', output })[1]).toMatchObject({ content: '' });
  });

  it('may have its images in a text of JSON in a chat', () => {
    const parts = [
      { type: 'text', text: 'The tower' },
      { type: 'image_url', image_url: { url: image } },
    ];
    expect(chat(calls(call('a')), result('a', JSON.stringify(parts)))[1]!['content']).toMatchObject([
      { type: 'text', text: 'The tower' },
      { type: 'image', source: { data: 'iVBORw0KGgo=' } },
    ]);
  });

  it.each(['[{"type":"text","text":"Seen."}]', '[{"type":"image_url"}]', '[{"type":"image_url","image_url":{"url":'])(
    'stays a text of JSON without images: %s',
    (content) => {
      expect(chat(calls(call('a')), result('a', content))[1]).toMatchObject({ content });
    },
  );

  const data = 'iVBORw0KGgo=';
  const url = 'https://a.example/a.png';
  const base64 = { type: 'base64', media_type: 'image/png', data };
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };

  it.each<[string, object, object]>([
    ['MCP', { type: 'image', data, mimeType: 'image/png' }, base64],
    ['MCP', { type: 'image', data: image, mimeType: 'image/png' }, base64],
    ['version 5 of the AI SDK', { type: 'media', data, mediaType: 'image/png' }, base64],
    ['version 6 of the AI SDK', { type: 'image-data', data, mediaType: 'image/png' }, base64],
    ['version 6 of the AI SDK', { type: 'file-data', data, mediaType: 'image/png' }, base64],
    ['version 6 of the AI SDK', { type: 'image-url', url }, { type: 'url', url }],
    ['version 7 of the AI SDK', { type: 'file', data: { type: 'data', data }, mediaType: 'image' }, base64],
    [
      'version 7 of the AI SDK',
      { type: 'file', data: { type: 'url', url }, mediaType: 'image/*' },
      { type: 'url', url },
    ],
    ['version 6 of the AI SDK', { type: 'file-data', data: 'JVBERi0=', mediaType: 'application/pdf' }, pdf],
    ['the Messages API', { type: 'image', source: base64 }, base64],
    ['the Messages API', { type: 'image', source: { type: 'url', url } }, { type: 'url', url }],
    ['the Messages API', { type: 'document', source: pdf }, pdf],
    ['chat completions', { type: 'image_url', image_url: { url: image } }, base64],
    ['the Responses API', { type: 'input_image', image_url: image, detail: 'auto' }, base64],
  ])('may be a list of %s with an image or a PDF: %j', (_name, part, source) => {
    const list = [{ type: 'text', text: 'The tower' }, part, { type: 'resource', resource: { uri: 'file:///a' } }];
    const content = [
      { type: 'text', text: 'The tower' },
      { type: source === pdf ? 'document' : 'image', source },
      { type: 'text', text: '{"type":"resource","resource":{"uri":"file:///a"}}' },
    ];
    const item = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
    const wrapped = [
      { content: list, isError: false },
      { isError: false, content: list },
    ];
    for (const sent of [...[list, ...wrapped].map((one) => JSON.stringify(one)), { content: list }]) {
      expect(chat(calls(call('a')), result('a', sent))[1]).toMatchObject({ content });
      const output = { type: 'function_call_output', call_id: 'a', output: sent };
      expect(responses(item, output)[1]).toMatchObject({ content });
    }
  });

  it.each([
    { data: `iVBORw0KGgo${'A'.repeat(401)}`, mimeType: 'image/png', type: 'image' },
    { source: { data: `iVBORw0KGgo${'A'.repeat(401)}`, media_type: 'image/png', type: 'base64' }, type: 'image' },
  ])('may be a list in a text of JSON whose first member is not its type', (part) => {
    const sent = JSON.stringify([part]);
    expect(chat(calls(call('a')), result('a', sent))[1]).toMatchObject({ content: [{ type: 'image' }] });
  });

  it.each([
    '[{"type":"file","name":"a.png","mediaType":"image/png"}]',
    '[{"type":"image","data":"not base64!","mimeType":"image/png"}]',
    '[{"type":"file","data":"JVBERi0=","mediaType":"text/x-unknown"}]',
    '{"content":[{"type":"text","text":"Seen."}]}',
  ])('stays a text of JSON in both APIs: %s', (output) => {
    const item = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
    expect(chat(calls(call('a')), result('a', output))[1]).toMatchObject({ content: output });
    expect(responses(item, { type: 'function_call_output', call_id: 'a', output })[1]).toMatchObject({
      content: output,
    });
  });
});
