import { describe, expect, it } from 'vitest';
import { promptTexts } from '../../lambdas/admission/prompt/prompt-texts.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';

const base64 = 'iVBORw0KGgo'.repeat(100);

const requestOf = (fields: Partial<MessagesRequest>): MessagesRequest => ({
  model: 'acme/big',
  max_tokens: 10,
  messages: [],
  ...fields,
});
const textsOf = (fields: Partial<MessagesRequest>, tokenizer?: 'o200k') => [
  ...promptTexts(requestOf(fields), tokenizer),
];
const textsOfBlock = (block: Block) => textsOf({ messages: [{ role: 'user', content: [block] }] }).slice(1);

describe('the texts of a prompt', () => {
  it('are system, tools, the schema of the answer and messages, each message in its frame', () => {
    const texts = textsOf({
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: [{ name: 'weather', description: 'Tells it', input_schema: { type: 'object' } }],
      output_config: { format: { type: 'json_schema', schema: { type: 'string' } } },
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi!' }] },
      ],
    });

    expect(texts).toEqual([
      '<|system|>\n',
      'Be brief.',
      '{"name":"weather","description":"Tells it","input_schema":{"type":"object"}}',
      '{"type":"string"}',
      '<|user|>\n',
      'Hello',
      '<|assistant|>\n',
      'Hi!',
    ]);
  });

  it('have schemas in the form that the provider gets', () => {
    const request = requestOf({
      tools: [
        { name: 'weather', input_schema: { type: 'object' } },
        { type: 'bash_20250124', name: 'bash' },
      ],
      output_config: { format: { type: 'json_schema', schema: { type: 'string' } } },
    });

    expect([...promptTexts(request, undefined, (schema) => [schema, schema])]).toEqual([
      '{"name":"weather","input_schema":[{"type":"object"},{"type":"object"}]}',
      '{"type":"bash_20250124","name":"bash"}',
      '[{"type":"string"},{"type":"string"}]',
    ]);
  });

  it.each<[string, Block, string[]]>([
    ['thinking', { type: 'thinking', thinking: 'Hm.', signature: base64 }, ['Hm.']],
    [
      'a call',
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Paris' } },
      ['{"city":"Paris"}', 'weather'],
    ],
    ['a result', { type: 'tool_result', tool_use_id: 'call_1', content: 'Rain' }, ['Rain']],
    [
      'a result in blocks',
      { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'Rain' }] },
      ['Rain'],
    ],
    [
      'a text document',
      {
        type: 'document',
        title: 'Note',
        context: 'Old',
        source: { type: 'text', media_type: 'text/plain', data: 'Words' },
      },
      ['Words', 'Old', 'Note'],
    ],
    [
      'a document of blocks',
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Words' }] } },
      ['Words'],
    ],
    [
      'a search result',
      { type: 'search_result', source: 'kb', title: 'T', content: [{ type: 'text', text: 'Found' }] },
      ['Found', 'T', 'kb'],
    ],
  ])('include the texts of %s', (_name, block, texts) => {
    expect(textsOfBlock(block).toSorted()).toEqual(texts.toSorted());
  });

  it.each<[string, Block]>([
    ['an image', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }],
    ['a PDF', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } }],
    ['a file', { type: 'document', source: { type: 'file', file_id: 'file_1' } }],
    ['an address', { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
    ['encrypted thinking', { type: 'redacted_thinking', data: base64 }],
    [
      'an image in a result',
      {
        type: 'tool_result',
        tool_use_id: 'call_1',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }],
      },
    ],
  ])('exclude %s', (_name, block) => {
    expect(textsOfBlock(block)).toEqual([]);
  });

  it('include JSON with escapes, unless the provider is known not to escape', () => {
    const tools = [{ name: 'погода' }];

    expect(textsOf({ tools })).toEqual([String.raw`{"name":"\u043f\u043e\u0433\u043e\u0434\u0430"}`]);
    expect(textsOf({ tools }, 'o200k')).toEqual(['{"name":"погода"}']);
  });

  it('escape all of long JSON', () => {
    const description = 'я'.repeat(20_000);

    const json = textsOf({ tools: [{ name: 'long', description }] }).join('');

    expect(json).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(json)).toEqual({ name: 'long', description });
  });

  it('are found at any depth', () => {
    let content: unknown = 'deep';
    for (let depth = 0; depth < 50_000; depth += 1) content = [{ type: 'text', content }];

    expect(textsOfBlock({ type: 'text', content })).toEqual(['deep']);
  });
});
