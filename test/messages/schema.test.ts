import { describe, expect, it } from 'vitest';
import { parseWith, readRequestJson } from '../../lambdas/http/parse.ts';
import type { HttpRequest } from '../../lambdas/http/request.ts';
import { messagesJson, messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { refusePricedBetas } from '../../lambdas/providers/client-headers.ts';
import { refused } from '../support/refused.ts';

const parse = (body: string) =>
  parseWith(messagesRequestSchema, readRequestJson({ headers: {}, body } as unknown as HttpRequest, messagesJson));

const request = (more: object) =>
  JSON.stringify({ model: 'a/b', messages: [{ role: 'user', content: 'Hi' }], ...more });
const saying = (content: unknown) => request({ messages: [{ role: 'user', content }] });

/** Returns the refused field; undefined if the body is accepted. */
function refusedField(read: () => unknown): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return error.metadata['field'];
    throw error;
  }
}

const fieldOf = (more: object) => refusedField(() => parse(request(more)));

describe('names of members that every object has', () => {
  it.each(['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'])(
    'are passed on as block types: %s',
    (type) => {
      const result = { type: 'tool_result', tool_use_id: 't', content: [{ type }] };
      expect(parse(saying([{ type }, result])).messages[0]!.content).toEqual([{ type }, result]);
      expect(parse(request({ system: [{ type }] })).system).toEqual([{ type }]);
    },
  );

  it('are members of an input like any other', () => {
    const body = saying('x').replace('"x"', '[{"type":"tool_use","id":"t","name":"n","input":{"__proto__":{"a":1}}}]');
    expect(JSON.stringify(parse(body).messages)).toContain('"input":{"__proto__":{"a":1}}');
  });

  it('do not add fields to a request', () => {
    const parsed = parse(request({}).replace('{', '{"__proto__":{"stream":true,"max_tokens":-5},'));
    expect(parsed.stream).toBeUndefined();
    expect(parsed.max_tokens).toBeUndefined();
  });
});

describe('a seed', () => {
  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'])('may have 64 bits: %s', (seed) => {
    expect(parse(request({}).replace('{', `{"seed":${seed},`))['seed']).toBe(Number(seed));
  });

  it.each([0.5, 1e19, -1e19, '7'])('must be a whole number of 64 bits: %s', (seed) => {
    expect(fieldOf({ seed })).toBe('seed');
  });
});

describe('the first fault in a list', () => {
  it.each([
    ['messages.0.content.1', saying([{ type: 'text', text: 'a' }, 5, 6])],
    ['messages.0.content.0.text', saying([{ type: 'text' }, { type: 'text' }])],
    ['messages.0.content.0.content.1.source', saying([resultOf([{ type: 'text', text: '' }, { type: 'image' }])])],
    ['messages.0.content', saying(5)],
    ['messages.1', request({ messages: [{ role: 'user', content: '' }, null] })],
    ['messages', request({ messages: [] })],
    ['system.0.type', request({ system: [{}] })],
    ['tools.1.name', request({ tools: [{ name: 'a' }, {}] })],
    ['betas', request({ betas: 'fast' })],
    ['tools', request({ tools: 'bash', tool_choice: { type: 'tool' } })],
    ['stop_sequences.0', request({ stop_sequences: [''] })],
    ['stop_sequences', request({ stop_sequences: Array.from({ length: 65 }, () => 'a') })],
  ])('is reported: %s', (field, body) => {
    expect(refusedField(() => parse(body))).toBe(field);
  });
});

function resultOf(content: unknown[]): object {
  return { type: 'tool_result', tool_use_id: 't', content };
}

describe('a body above a bound', () => {
  it.each([
    ['too many values', request({ metadata: { a: Array.from({ length: 100_000 }, () => 1) } })],
    ['too deep', request({}).replace('}', `,"a":${'['.repeat(129)}${']'.repeat(129)}}`)],
    ['too many fields', request(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f${index}`, 1])))],
    [
      'too many exact numbers',
      request({ tools: [] }).replace('[]', `[{"name":"n","input_schema":{"enum":[${'1e400,'.repeat(10_001)}1]}}]`),
    ],
  ])('is refused: %s', (_what, body) => {
    expect(refusedField(() => parse(body))).toBe('body');
  });
});

const tool = (type: string) => ({ type, name: 'n' });

const declaring = (definition: object) =>
  saying([{ type: 'tool_addition', tool: { type: 'tool_definition', definition } }]);

const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const pdf = (data: string) => ({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } });

const recording = (source: object) =>
  saying([{ type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: 'UklGRg==', ...source } }]);

describe('a recording in a message', () => {
  it.each(['audio/wav', 'audio/mpeg', 'audio/aac', 'audio/aiff', 'audio/flac', 'audio/ogg'])(
    'is accepted: %s',
    (media_type) => {
      expect(refusedField(() => parse(recording({ media_type })))).toBeUndefined();
    },
  );

  it.each([
    ['type', { type: 'url', url: 'https://a.example/b.wav' }],
    ['media_type', { media_type: 'audio/webm' }],
    ['data', { data: 'not base64!!' }],
  ])('is refused by its %s', (field, source) => {
    expect(refusedField(() => parse(recording(source)))).toBe(`messages.0.content.0.source.${field}`);
  });
});

describe('a search result of the client', () => {
  const found = { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'Seen.' }] };

  it('is passed on unchanged, also in the result of a tool', () => {
    const content = [{ ...found, citations: { enabled: true } }, resultOf([found])];

    expect(parse(saying(content)).messages[0]!.content).toEqual(content);
  });

  it.each([
    ['source', { source: undefined }],
    ['title', { title: null }],
    ['content', { content: 'Seen.' }],
    ['content.0', { content: [null] }],
    ['content.0.type', { content: [{ type: 'image' }] }],
    ['content.0.text', { content: [{ type: 'text' }] }],
  ])('is refused by its %s', (field, wrong) => {
    expect(refusedField(() => parse(saying([{ ...found, ...wrong }])))).toBe(`messages.0.content.0.${field}`);
    expect(refusedField(() => parse(saying([resultOf([{ ...found, ...wrong }])])))).toBe(
      `messages.0.content.0.content.0.${field}`,
    );
  });
});

describe('a sampling field', () => {
  it.each([
    ['temperature', 2.1],
    ['top_p', 1.1],
    ['top_k', -1],
    ['frequency_penalty', 'much'],
    ['presence_penalty', -2.1],
    ['repetition_penalty', 2.1],
  ])('is refused outside of its range: %s', (field, value) => {
    expect(fieldOf({ [field]: value })).toBe(field);
  });
});

describe('base64 data', () => {
  const words = 'not base64!!';

  it.each<[string, unknown]>([
    ['messages.0.content.0.source.data', saying([image(words)])],
    ['messages.0.content.1.source.data', saying([image('iVBORw0KGgo='), pdf(words)])],
    ['messages.0.content.0.content.0.source.data', saying([resultOf([image(words)])])],
    [
      'messages.0.content.0.source.content.0.source.data',
      saying([{ type: 'document', source: { type: 'content', content: [image(words)] } }]),
    ],
    ['system.0.source.data', request({ system: [image(words)] })],
  ])('is refused if it is invalid: %s', (field, body) => {
    const refusal = refused(() => parse(body as string));

    expect(refusal.metadata).toMatchObject({ field });
    expect(refusal.message).toContain('must be base64');
  });

  it('is passed on unchanged', () => {
    const content = [image('iVBORw0KGgo='), pdf('JVBERi0='), resultOf([image('iVBO')])];

    expect(parse(saying(content)).messages[0]!.content).toEqual(content);
  });
});

describe('the name of a tool', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' };

  it.each<[string, object[]]>([
    ['two of the client’s', [{ name: 'look' }, { name: 'see' }, { name: 'look', description: 'Looks again.' }]],
    ['a tool that is repeated unchanged', [{ name: 'see' }, { name: 'look' }, { name: 'look' }]],
    [
      'one of the client’s and a typed one',
      [{ name: 'see' }, { name: 'bash' }, { type: 'bash_20250124', name: 'bash' }],
    ],
    ['one of the client’s and the search', [{ name: 'see' }, search, { name: 'web_search' }]],
    ['two searches', [{ name: 'see' }, search, { ...search, max_uses: 3 }]],
  ])('is unique in a request: %s', (_what, tools) => {
    const refusal = refused(() => parse(request({ tools })));

    expect(refusal.status).toBe(400);
    expect(refusal.metadata).toMatchObject({ field: 'tools.2.name' });
    expect(refusal.message).toContain('is also the name of another tool');
  });

  it.each<[string, object[]]>([
    ['differs in its case', [{ name: 'Read' }, { name: 'read' }]],
    ['comes from two servers', [{ name: 'mcp__a__search' }, { name: 'mcp__b__search' }, search]],
    ['is omitted from a typed tool', [{ type: 'browser_toolset_20260101' }, { type: 'computer_toolset_20260101' }]],
  ])('may be repeated if it %s', (_what, tools) => {
    expect(fieldOf({ tools })).toBeUndefined();
  });
});

describe('a field name of another API', () => {
  it.each<[object, string, RegExp]>([
    [{ max_completion_tokens: 5 }, 'max_completion_tokens', /is called "max_tokens"/],
    [{ stop: ['END'] }, 'stop', /is called "stop_sequences"/],
    [{ response_format: { type: 'json_object' } }, 'response_format', /is called "output_config.format"/],
    [{ reasoning_effort: 'low' }, 'reasoning_effort', /is called "output_config.effort"/],
    [{ tools: [{ type: 'function', function: { name: 'look' } }] }, 'tools.0.type', /a tool is \{"name": …/],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      'messages.0.content.0.type',
      /send \{"type": "image", "source": /,
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'input_text', text: 'x' }] }] },
      'messages.0.content.0.type',
      /send \{"type": "text"/,
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      'messages.0.content.0.type',
      /send \{"type": "audio", "source": /,
    ],
  ])('is refused with the name in this API: %j', (fields, field, expected) => {
    const { error } = messagesRequestSchema.safeParse({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      ...fields,
    });

    expect(error!.issues[0]!.path.join('.')).toBe(field);
    expect(error!.issues[0]!.message).toMatch(expected);
  });

  it('may be null', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stop: null, max_completion_tokens: null };

    expect(messagesRequestSchema.safeParse(body).success).toBe(true);
  });
});

describe('a feature that the gateway cannot price', () => {
  it.each(['custom', 'bash_20250124', 'text_editor_20250728', 'computer_20251124', 'memory_20250818'])(
    'is not a tool that the client runs: %s',
    (type) => {
      expect(fieldOf({ tools: [tool(type)] })).toBeUndefined();
    },
  );

  it.each([
    'web_fetch_20260318',
    'code_execution_20260521',
    'tool_search_tool_regex_20251119',
    'tool_search_tool_bm25',
    'advisor_20260301',
    'mcp_toolset',
    'bash_code_execution_20250825',
    'some_tool_of_tomorrow_20300101',
    'constructor',
    '',
  ])('is a tool that the provider runs, with any name: %s', (type) => {
    expect(fieldOf({ tools: [{ name: 'good' }, tool(type)] })).toBe('tools.1.type');
    const addition = { type: 'tool_addition', tool: { type: 'tool_definition', definition: tool(type) } };
    const declared = { role: 'system', content: [addition] };
    expect(refusedField(() => parse(request({ messages: [declared] })))).toBe(
      'messages.0.content.0.tool.definition.type',
    );
    const compacted = saying([{ type: 'compaction', content: 'a', tool_changes: [addition] }]);
    expect(refusedField(() => parse(compacted))).toBe('messages.0.content.0.tool_changes.0.tool.definition.type');
  });

  it('is a typed tool in a message, which only counts among the tools of the request', () => {
    expect(refusedField(() => parse(declaring({ name: 'n', input_schema: {} })))).toBeUndefined();
    expect(refusedField(() => parse(declaring(tool('bash_20250124'))))).toBe(
      'messages.0.content.0.tool.definition.type',
    );
  });

  it('is a tool that code of the provider may call', () => {
    expect(fieldOf({ tools: [{ name: 'n', allowed_callers: ['direct'] }] })).toBeUndefined();
    expect(fieldOf({ tools: [{ name: 'n', allowed_callers: ['code_execution_20260120'] }] })).toBe(
      'tools.0.allowed_callers',
    );
  });

  it.each([
    ['inference_geo', 'us'],
    ['service_tier', 'priority'],
    ['speed', 'fast'],
    ['speed', 'faster'],
    ['mcp_servers', [{}]],
    ['container', 'c'],
    ['fallbacks', 'default'],
    ['fallback_credit_token', 't'],
    ['compaction', { type: 'summarize' }],
    ['thread', { type: 'continue', previous_message_id: 'm' }],
    ['billing_policy', { type: 'billing_policy' }],
    ['betas', ['fast-mode-2026-02-01']],
    ['anthropic_beta', ['fast-mode-2026-02-01']],
    ['anthropic-beta', 'claude-code-20250219, fast-mode-2026-02-01'],
    ['betas', ['\0']],
    ['anthropic_beta', ['бета']],
    ['anthropic-beta', 'b'.repeat(201)],
    ['anthropic_beta', 7],
    ['anthropic_version', '2026-10-21'],
  ])('is refused by its name: %s %j', (field, value) => {
    expect(fieldOf({ [field]: value })).toBe(field);
    expect(fieldOf({ [field]: null })).toBeUndefined();
  });

  it.each([
    ['inference_geo', 'global'],
    ['service_tier', 'auto'],
    ['service_tier', 'standard_only'],
    ['speed', 'standard'],
    [
      'context_management',
      { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }] },
    ],
    ['diagnostics', { previous_message_id: null }],
    ['betas', ['claude-code-20250219']],
  ])('is not a field that agents always send: %s %j', (field, value) => {
    expect(parse(request({ [field]: value }))).toHaveProperty(field, value);
  });

  it('is not a name of betas in bodies of other services', () => {
    const sent = { betas: ['a-1'], anthropic_beta: ['b-2', 'a-1'], 'anthropic-beta': 'c-3, b-2' };
    const { betas, ...others } = parse(request({ ...sent, anthropic_version: 'bedrock-2023-05-31' }));

    expect(betas).toEqual(['a-1', 'b-2', 'c-3']);
    expect(Object.keys(others).filter((name) => name.startsWith('anthropic'))).toEqual([]);
  });

  it('is any context edit with its own answer', () => {
    const edits = [{ type: 'clear_thinking_20251015' }, { type: 'compact_20260112' }];
    expect(fieldOf({ context_management: { edits } })).toBe('context_management.edits.1.type');
  });

  it('is a file in a container', () => {
    expect(refusedField(() => parse(saying([{ type: 'container_upload', file_id: 'f' }])))).toBe(
      'messages.0.content.0.type',
    );
  });

  it('is not sent to a provider as an empty list', () => {
    expect(parse(request({ mcp_servers: [], plugins: [] }))).not.toHaveProperty('mcp_servers');
  });

  it.each([
    'fast-mode-2026-02-01',
    'compact-2026-01-12',
    'compact-2026-09-04',
    'message-threads-2026-08-12',
    'mcp-client-2025-11-20',
    'code-execution-2025-08-25',
    'web-fetch-2025-09-10',
    'server-side-fallback-2026-07-01',
    'Fast-Mode-2026-02-01',
  ])('is a beta with its own price: %s', (beta) => {
    expect(refusedField(() => refusePricedBetas(`claude-code-20250219, ${beta}`))).toBe('anthropic-beta');
  });

  it.each([
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,mid-conversation-tool-changes-2026-07-01,thinking-token-count-2026-05-13,advanced-tool-use-2025-11-20,effort-2025-11-24,thinking-display-updates-2026-08-18',
    'redact-thinking-2026-02-12,prompt-caching-scope-2026-01-05,fine-grained-tool-streaming-2025-05-14,structured-outputs-2025-11-13',
    'pdfs-2024-09-25,files-api-2025-04-14,context-1m-2025-08-07,extended-cache-ttl-2025-04-11,token-counting-2024-11-01,output-128k-2025-02-19',
    'claude-code-20250219,advisor-tool-2026-03-01',
    'one-of-tomorrow-2030-01-01',
    '',
  ])('is not a beta that agents send: %s', (header) => {
    expect(refusedField(() => refusePricedBetas(header))).toBeUndefined();
  });
});

describe('numbers with more digits than a double', () => {
  const exact = ['9007199254740993', '1e400', '0.1000000000000000055'];

  it.each(exact)('are unchanged in inputs of tools and in JSON schemas: %s', (literal) => {
    const body = `{"model":"a/b","messages":[{"role":"assistant","content":[
      {"type":"tool_use","id":"t","name":"n","input":{"a":{"b":[${literal}]}}}]}],
      "tools":[{"name":"n","input_schema":{"const":${literal}}}],
      "output_config":{"format":{"type":"json_schema","schema":{"const":${literal}}}}}`;
    expect(JSON.stringify(parse(body)).split(literal)).toHaveLength(4);
  });

  it.each([
    ['max_tokens', '"max_tokens":1e400'],
    ['max_tokens', '"max_tokens":9007199254740993'],
    ['temperature', '"temperature":1e400'],
    ['thinking.budget_tokens', '"thinking":{"type":"enabled","budget_tokens":1e400}'],
    ['metadata', '"metadata":1e400'],
    ['tools.0.input_schema', '"tools":[{"name":"n","input_schema":1e400}]'],
    ['output_config.format.schema', '"output_config":{"format":{"type":"json_schema","schema":9007199254740993}}'],
  ])('are refused in numeric fields: %s', (field, member) => {
    expect(refusedField(() => parse(request({}).replace('{', `{${member},`)))).toBe(field);
  });

  it('are read by JSON.parse in numeric fields', () => {
    expect(parse(request({}).replace('{', '{"temperature":0.1000000000000000055,')).temperature).toBe(0.1);
  });
});

const callOf = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const resultFor = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const turns = (...contents: object[][]) =>
  contents.map((content, index) => ({ role: index % 2 === 0 ? 'assistant' : 'user', content }));
const sent = (...contents: object[][]) =>
  parse(request({ messages: turns(...contents) }))
    .messages.flatMap(({ content }) => content as { id?: string; tool_use_id?: string }[])
    .map((block) => block.id ?? block.tool_use_id);

describe('ids of calls in a conversation', () => {
  it('are made unique, and results follow their calls', () => {
    expect(sent([callOf('a')], [resultFor('a')], [callOf('a'), callOf('a')], [resultFor('a'), resultFor('a')])).toEqual(
      ['a', 'a', 'a_2', 'a_3', 'a_2', 'a_3'],
    );
  });

  it('are unchanged if they are unique', () => {
    expect(sent([callOf('a')], [resultFor('a')], [callOf('b')], [resultFor('b')])).toEqual(['a', 'a', 'b', 'b']);
  });
});
