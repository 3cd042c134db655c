/**
 * Cursor sends Chat Completions requests in the forms of the two other APIs
 * (https://github.com/BerriAI/litellm/pull/34029, https://github.com/router-for-me/CLIProxyAPI/issues/3805).
 */

import { describe, expect, it } from 'vitest';
import { ChunkWriter } from '../../lambdas/client-apis/chat/chunks.ts';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { refused } from '../support/refused.ts';

const user = { role: 'user', content: 'Hi' };
const read = (more: object) => parseWith(chatRequestSchema, { model: 'm', messages: [user], ...more });
const messageOf = (more: object) => read(more).message;
const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const patch = {
  type: 'custom',
  name: 'ApplyPatch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' },
};

describe('tools in the form of another API', () => {
  it('are the same as in the form of this API', () => {
    const own = messageOf({
      tools: [{ type: 'function', function: { name: 'read', description: 'Reads.', parameters } }],
    });
    expect(messageOf({ tools: [{ type: 'function', name: 'read', description: 'Reads.', parameters }] })).toEqual(own);
    for (const type of [undefined, null, 'custom']) {
      const tool = { type, name: 'read', description: 'Reads.', input_schema: parameters };
      expect(messageOf({ tools: [tool] }), String(type)).toEqual(own);
    }
  });

  it('may be custom tools with a grammar, next to functions', () => {
    const { format, ...named } = patch;
    const { syntax, definition } = format;
    const nested = {
      type: 'custom',
      custom: { ...named, type: undefined, format: { type: 'grammar', grammar: { syntax, definition } } },
    };
    const reads = { type: 'function', function: { name: 'read', parameters } };
    const mixed = { type: 'custom', custom: { ...named, type: undefined, format } };
    for (const tool of [patch, mixed])
      expect(messageOf({ tools: [reads, tool] })).toEqual(messageOf({ tools: [reads, nested] }));
  });

  it.each([
    [
      { type: 'function', name: 'read' },
      { type: 'tool', name: 'read' },
    ],
    [
      { type: 'tool', name: 'read' },
      { type: 'tool', name: 'read' },
    ],
    [{ type: 'any' }, { type: 'any' }],
    [{ type: 'auto' }, { type: 'auto' }],
  ])('may be chosen as %j', (tool_choice, expected) => {
    expect(messageOf({ tools: [{ name: 'read', input_schema: parameters }], tool_choice }).tool_choice).toEqual(
      expected,
    );
  });

  it('may be limited to one call', () => {
    const tools = [{ name: 'read', input_schema: parameters }];
    const tool_choice = { type: 'auto', disable_parallel_tool_use: true };
    expect(messageOf({ tools, tool_choice }).tool_choice).toEqual(tool_choice);
  });

  it('are refused with the path of the fault', () => {
    expect(refused(() => read({ tools: [patch, patch] }))).toMatchObject({ metadata: { field: 'tools.1.name' } });
    expect(refused(() => read({ tools: [{ type: 'function', name: 7 }] }))).toMatchObject({
      metadata: { field: 'tools.0.name' },
    });
  });
});

describe('blocks of the Messages API in a conversation', () => {
  it('are calls, results and thinking', () => {
    const { messages } = messageOf({
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'text', text: 'Water.' }],
              is_error: true,
            },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
    });
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Water.' }], is_error: true },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ]);
  });

  it('are images', () => {
    const drawn = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    const linked = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const content = [drawn, linked];
    expect(messageOf({ messages: [{ role: 'user', content }] }).messages[0]!.content).toEqual(content);
    const bad = [{ ...drawn, source: { type: 'base64', media_type: 'image/tiff', data: 'AAAA' } }];
    expect(refused(() => read({ messages: [{ role: 'user', content: bad }] }))).toMatchObject({
      metadata: { field: 'messages.0.content.0.source' },
    });
  });

  it('may have thinking in parts, as Mistral writes it', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'A river.' },
    ];
    expect(messageOf({ messages: [user, { role: 'assistant', content }, user] }).messages[1]!.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'A river.' },
    ]);
  });
});

describe('a conversation in the form of the Responses API', () => {
  const input = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'input_text', text: 'Edit it.' }] },
    { type: 'custom_tool_call', call_id: 'c1', name: 'ApplyPatch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done.' },
  ];
  const body = {
    messages: undefined,
    input,
    tools: [patch],
    store: false,
    stream: true,
    stream_options: { include_usage: true },
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  };

  it('is read as by POST /responses', () => {
    const { message, leftOut, hasUsageChunk, showsReasoning } = read(body);
    expect(message).toMatchObject({
      system: [{ type: 'text', text: 'Be brief.' }],
      output_config: { effort: 'low' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Edit it.' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'ApplyPatch' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'Done.' }] },
      ],
    });
    expect([leftOut, hasUsageChunk, showsReasoning]).toEqual([[], true, true]);
  });

  it('has the limit and the effort of this API', () => {
    const own = { input, max_tokens: 9, max_completion_tokens: 7, reasoning_effort: 'high' };
    for (const absent of [{}, { max_output_tokens: null, reasoning: null }]) {
      const { message, leftOut } = parseWith(chatRequestSchema, { model: 'm', ...own, ...absent });

      expect(message).toMatchObject({ max_tokens: 7, output_config: { effort: 'high' } });
      expect(leftOut).toEqual([]);
    }
  });

  it('may have every tool, choice and store of the Responses API', () => {
    const tools = [
      { type: 'namespace', name: 'mcp__files', tools: [{ type: 'function', name: 'read', parameters }] },
      { type: 'image_generation' },
      { type: 'web_search', external_web_access: false },
      patch,
    ];
    const tool_choice = { type: 'function', name: 'read', namespace: 'mcp__files' };
    const sent = { ...body, tools, tool_choice, store: true, stream_options: undefined };
    const responses = parseWith(responsesRequestSchema, { ...sent, model: 'm', messages: undefined });

    for (const messages of [undefined, null, []]) {
      const { message, leftOut } = read({ ...sent, messages });

      expect(message).toEqual(responses.message);
      expect(message.tools).toHaveLength(2);
      expect(leftOut).toEqual(['tools.image_generation', 'tools.web_search']);
    }
  });

  it.each([
    [
      { type: 'json_schema', json_schema: { name: 'place', schema: parameters, strict: true } },
      { output_config: { format: { type: 'json_schema', name: 'place', schema: parameters }, effort: 'low' } },
    ],
    [{ type: 'json_object' }, { system: [{ text: 'Be brief.' }, { text: expect.stringContaining('JSON') }] }],
    [{ type: 'text' }, { system: [{ text: 'Be brief.' }] }],
  ])('has the answer format of this API: %j', (response_format, expected) => {
    const { message, leftOut } = read({ ...body, response_format, text: { verbosity: 'low' } });

    expect(message).toMatchObject({ ...expected, verbosity: 'low' });
    expect(leftOut).toEqual([]);
    expect(refused(() => read({ ...body, response_format: { ...response_format, schema: 7 } }))).toMatchObject({
      metadata: { field: 'response_format.schema' },
    });
  });

  it('has the answer format of this API next to the default format of the other', () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'place', schema: parameters } };
    const { message } = read({ ...body, response_format, text: { format: { type: 'text' } } });

    expect(message.output_config?.format).toMatchObject({ type: 'json_schema', schema: parameters });
    const text = { format: { type: 'json_object' } };
    expect(refused(() => read({ ...body, response_format, text }))).toMatchObject({
      metadata: { field: 'response_format' },
    });
  });

  it.each([
    ['web_search_options', {}],
    ['functions', [{ name: 'read' }]],
    ['function_call', 'auto'],
  ])('has no %s', (field, value) => {
    expect(refused(() => read({ ...body, [field]: value }))).toMatchObject({ metadata: { field } });
    expect(read({ ...body, [field]: null }).leftOut).toEqual([]);
  });

  it('is answered in chunks of this API', () => {
    const writer = new ChunkWriter(
      { generationId: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', model: 'm' },
      read(body),
    );
    const block = { type: 'tool_use', id: 'c2', name: 'ApplyPatch', input: {} };
    const text =
      writer.write({ type: 'content_block_start', index: 0, content_block: block }) +
      writer.write({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"input":"+a"}' },
      }) +
      writer.write({ type: 'content_block_stop', index: 0 });
    expect(text).toContain('"type":"custom","custom":{"name":"ApplyPatch","input":""}');
    expect(text).toContain('"custom":{"input":"+a"}');
  });

  it('is refused with the path of the fault, and next to messages', () => {
    const bad = [{ role: 'nobody', content: 'x' }];
    expect(refused(() => read({ ...body, input: bad }))).toMatchObject({ metadata: { field: 'input.0.role' } });
    expect(refused(() => read({ input }))).toMatchObject({ metadata: { field: 'input' } });
    expect(refused(() => read({ messages: undefined }))).toMatchObject({ metadata: { field: 'messages' } });
  });
});
