import { describe, expect, it } from 'vitest';
import type { BedrockConverseQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { bedrockConverseWire } from '../../lambdas/providers/bedrock-converse/wire.ts';
import { refused } from '../support/refused.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const claude: BedrockConverseQuirks = { family: 'claude', pdf_files: true };
const nova: BedrockConverseQuirks = { family: 'nova', pdf_files: true };

function encodeAt(more: Partial<MessagesRequest>, quirks: BedrockConverseQuirks, upstreamModel = 'm') {
  const target = {
    providerId: 'amazon-bedrock',
    upstreamModel,
    maxOutputTokens: 1_000,
    supportedParameters: ['stop', 'temperature', 'top_p', 'top_k', 'tools', 'reasoning'],
    quirks,
  };
  return bedrockConverseWire.encode(
    { model: 'a/b', messages: [{ role: 'user', content: 'Hi' }], ...more },
    target,
    client,
  );
}

const encode = (more: Partial<MessagesRequest>, quirks: BedrockConverseQuirks = claude) =>
  JSON.parse(encodeAt(more, quirks).body) as Record<string, unknown>;
const asked = (content: Block[], quirks?: BedrockConverseQuirks) =>
  (encode({ messages: [{ role: 'user', content }] }, quirks)['messages'] as { content: unknown[] }[])[0]!.content;
const field = (more: Partial<MessagesRequest>, quirks?: BedrockConverseQuirks) =>
  refused(() => encode(more, quirks)).metadata['field'];

const cached = { cache_control: { type: 'ephemeral' } };
const cachedForLong = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const point = { cachePoint: { type: 'default' } };
const pointForLong = { cachePoint: { type: 'default', ttl: '1h' } };
const text = (said: string, more: object = {}): Block => ({ type: 'text', text: said, ...more });
const pdf = (more: object = {}): Block => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
  ...more,
});
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } };
const lookup = { name: 'lookup', description: 'Looks up', input_schema: { type: 'object', properties: {} } };
const reasoning = (inner: object) => ({ reasoningContent: inner });
const callAndResult = (result: object = {}): MessagesRequest['messages'] => [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'lookup', input: { a: 1 } }] },
  { role: 'user', content: [text('And?'), { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Yes', ...result }] },
];

describe('a request of Converse', () => {
  it('names the model in its path, encoded once', () => {
    expect(encodeAt({}, claude, 'us.amazon.nova-2-lite-v1:0').path).toBe(
      '/model/us.amazon.nova-2-lite-v1%3A0/converse-stream',
    );
  });

  it('requests an answer with tools as a whole if the model cannot stream one, and holds all of its output', () => {
    const quirks: BedrockConverseQuirks = { streams_tools: false };
    const target = {
      providerId: 'p',
      upstreamModel: 'm',
      maxOutputTokens: 1_000,
      supportedParameters: ['tools'],
      quirks,
    };
    const asks = { model: 'a/b', messages: [], tools: [lookup] };

    expect(encodeAt({ tools: [lookup] }, quirks).path).toBe('/model/m/converse');
    expect(bedrockConverseWire.hiddenReasoning(asks, target, 900)).toBe(900);
    for (const more of [{}, { tools: [lookup], tool_choice: { type: 'none' as const } }]) {
      expect(encodeAt(more, quirks).path).toBe('/model/m/converse-stream');
      expect(bedrockConverseWire.hiddenReasoning({ ...asks, tools: [], ...more }, target, 900)).toBe(0);
    }
  });

  it('has the limits and the sampling fields of the model, and at most the output limit of the endpoint', () => {
    const sampling = { temperature: 0.5, top_p: 0.9, top_k: 5, stop_sequences: ['END'], max_tokens: 5_000 };

    expect(encode(sampling)).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      inferenceConfig: { maxTokens: 1_000, temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
      additionalModelRequestFields: { top_k: 5 },
      additionalModelResponseFieldPaths: ['/delta/stop_sequence'],
    });
    expect(encode(sampling, nova)).toMatchObject({ additionalModelRequestFields: { inferenceConfig: { topK: 5 } } });
    expect(encode(sampling, {})).not.toHaveProperty('additionalModelRequestFields');
    expect(encode({})).toMatchObject({ inferenceConfig: { maxTokens: 1_000 } });
  });

  it('has a cache point after each marked block, with a lifetime if the model supports it', () => {
    const request = {
      system: [text('One', cachedForLong), text('Two')],
      messages: [{ role: 'user' as const, content: [text('Hi', cached), text('there')] }],
      tools: [{ ...lookup, ...cachedForLong }],
      ...cached,
    };

    expect(encode(request)).toMatchObject({
      system: [{ text: 'One' }, pointForLong, { text: 'Two' }],
      messages: [{ content: [{ text: 'Hi' }, point, { text: 'there' }, point] }],
      toolConfig: { tools: [{ toolSpec: { name: 'lookup' } }, pointForLong] },
    });
    expect(encode(request, nova)).toMatchObject({
      system: [{ text: 'One' }, point, { text: 'Two' }],
      toolConfig: { tools: [{ toolSpec: { name: 'lookup' } }] },
    });
    expect(JSON.stringify(encode(request, {}))).not.toContain('cachePoint');
  });

  it('has cache points for Nova only after texts, because Nova rejects them after calls and results', () => {
    const [first, call, results] = callAndResult(cached);
    const marked = (call!.content as Block[]).map((block) => ({ ...block, ...cached }));
    const messages = [first!, { ...call!, content: marked }, results!];

    expect(JSON.stringify(encode({ messages, tools: [lookup] }, nova))).not.toContain('cachePoint');
    expect(JSON.stringify(encode({ messages, tools: [lookup] })).match(/cachePoint/g)).toHaveLength(2);
    expect(encode({ messages, tools: [lookup], ...cached }, nova)['messages']).toMatchObject([
      {},
      { content: [{ toolUse: {} }] },
      { content: [{ toolResult: {} }, { text: 'And?' }, point] },
    ]);
  });

  it('has a text between a document that is no PDF and its cache point, because Bedrock rejects the point there', () => {
    const notes = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Notes' } };

    expect(asked([text('Hi'), { ...notes, ...cached }])).toMatchObject([
      { text: 'Hi' },
      { document: { format: 'txt' } },
      { text: '(see the document)' },
      point,
    ]);
    expect(asked([text('Hi'), pdf(cached)])).toMatchObject([{ text: 'Hi' }, { document: { format: 'pdf' } }, point]);
  });

  it('has later system messages at their place, and earlier ones in its system prompt', () => {
    const messages: MessagesRequest['messages'] = [
      { role: 'system', content: 'First' },
      ...callAndResult(),
      { role: 'system', content: 'Later' },
    ];

    expect(encode({ messages, tools: [lookup] })).toMatchObject({
      system: [{ text: 'First' }],
      messages: [
        { role: 'user' },
        { role: 'assistant' },
        { role: 'user', content: [{ toolResult: {} }, { text: 'And?' }, { text: '<system>\nLater\n</system>' }] },
      ],
    });
  });

  it('has a message if there are only system messages', () => {
    expect(encode({ messages: [{ role: 'system', content: 'First' }] })).toMatchObject({
      messages: [{ role: 'user', content: [{ text: '<system>\nFirst\n</system>' }] }],
    });
  });

  it('has calls and their results, with the status of failed tools', () => {
    const messages = callAndResult({ is_error: true });

    expect(encode({ messages, tools: [lookup] })).toMatchObject({
      messages: [
        {},
        { content: [{ toolUse: { toolUseId: 'toolu_1', name: 'lookup', input: { a: 1 } } }] },
        { content: [{ toolResult: { toolUseId: 'toolu_1', content: [{ text: 'Yes' }], status: 'error' } }, {}] },
      ],
    });
    expect(encode({ messages, tools: [lookup] }, {})).toMatchObject({
      messages: [{}, {}, { content: [{ toolResult: { content: [{ text: 'Error:' }, { text: 'Yes' }] } }, {}] }],
    });
  });

  it('has images and documents, also in the result of a tool, with cache points after them', () => {
    const messages = callAndResult({ content: [text('See'), image, pdf(cached)] });
    const { messages: sent } = encode({ messages, tools: [lookup] }) as { messages: { content: unknown[] }[] };

    expect(sent[2]!.content.slice(0, 2)).toEqual([
      {
        toolResult: {
          toolUseId: 'toolu_1',
          content: [
            { text: 'See' },
            { image: { format: 'png', source: { bytes: 'iVBO' } } },
            { document: { format: 'pdf', name: 'document', source: { bytes: 'JVBERi0=' } } },
          ],
          status: 'success',
        },
      },
      point,
    ]);
  });

  it('has images of results after all results for other models, which reject them there', () => {
    const messages = callAndResult({ content: [text('See'), image] });
    const { messages: sent } = encode({ messages, tools: [lookup] }, {}) as { messages: { content: unknown[] }[] };

    expect(sent[2]!.content).toEqual([
      {
        toolResult: {
          toolUseId: 'toolu_1',
          content: [{ text: 'See' }, { text: '(the image of this result follows)' }],
        },
      },
      { text: 'And?' },
      { image: { format: 'png', source: { bytes: 'iVBO' } } },
    ]);
  });

  it('has unique document names that Converse accepts, with a text next to them', () => {
    const titles = ['Report: «2026».pdf', 'Report  2026 pdf', 'Отчёт', undefined].map((title) => pdf({ title }));

    const content = asked(titles) as { document?: { name: string }; text?: string }[];

    expect(content.map(({ document, text: said }) => document?.name ?? said)).toEqual([
      'Report 2026 pdf',
      'Report 2026 pdf 2',
      'document',
      'document 2',
      '(see the document)',
    ]);
  });

  it('has texts as documents with context and citations, or in a tag for models without files', () => {
    const document = {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'Seven.' },
      title: 'bridges',
      context: 'a guide',
    };

    expect(asked([{ ...document, citations: { enabled: true } }, text('How many?')])[0]).toEqual({
      document: {
        format: 'txt',
        name: 'bridges',
        source: { text: 'Seven.' },
        context: 'a guide',
        citations: { enabled: true },
      },
    });
    const bytes = Buffer.from('Seven.').toString('base64');
    const parts = { ...document, source: { type: 'content', content: [text('Seven.')] } };
    for (const uncited of [document, parts]) {
      expect(asked([uncited], nova)[0]).toMatchObject({ document: { format: 'txt', source: { bytes } } });
    }
    const empty = { ...document, source: { type: 'text', media_type: 'text/plain', data: '' } };
    expect(asked([empty], nova)[0]).toMatchObject({
      document: { source: { bytes: Buffer.from('(empty)').toString('base64') } },
    });
    expect(asked([document], {})).toEqual([
      { text: '<document title="bridges">\n<context>a guide</context>\nSeven.\n</document>' },
    ]);
  });

  it('has results of the client’s own search for Claude', () => {
    const found = {
      type: 'search_result',
      source: 'https://a.example',
      title: 'A',
      content: [text('Seven.')],
      citations: { enabled: true },
    };

    expect(asked([found])[0]).toEqual({
      searchResult: {
        source: 'https://a.example',
        title: 'A',
        content: [{ text: 'Seven.' }],
        citations: { enabled: true },
      },
    });
  });

  it.each([
    [{ type: 'auto' as const }, { auto: {} }],
    [{ type: 'any' as const }, { any: {} }],
    [{ type: 'tool' as const, name: 'lookup' }, { tool: { name: 'lookup' } }],
  ])('has the tool choice for: %o', (choice, toolChoice) => {
    expect(encode({ tools: [lookup], tool_choice: choice })).toMatchObject({ toolConfig: { toolChoice } });
  });

  it('has the choice of any tool for its only tool on a model without named tools', () => {
    const tool_choice = { type: 'tool' as const, name: 'lookup' };
    expect(encode({ tools: [lookup], tool_choice }, {})).toMatchObject({ toolConfig: { toolChoice: { any: {} } } });
  });

  it('has tool calls and results in their own messages if the model rejects other content next to them', () => {
    const { messages } = encode(
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [text('I look.'), { type: 'tool_use', id: 't', name: 'look', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'Water.' }, text('And now?')] },
        ],
        tools: [{ name: 'look', input_schema: { type: 'object' } }],
      },
      { separate_tool_turns: true },
    );

    expect(messages).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [{ text: 'I look.' }] },
      { role: 'user', content: [{ text: '(the conversation goes on)' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'look', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ text: 'Water.' }] } }] },
      { role: 'assistant', content: [{ text: 'I have the results.' }] },
      { role: 'user', content: [{ text: 'And now?' }] },
    ]);
  });

  it('has argument schemas with only their properties at the root if the model rejects other keywords there', () => {
    const place = { type: 'object', properties: { name: { type: 'string' } } };
    const tool = {
      name: 'look',
      description: 'Looks.',
      input_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: 'Look',
        description: 'A place.',
        type: 'object',
        properties: { place: { $ref: '#/$defs/Place', description: 'Where.' } },
        required: ['place'],
        additionalProperties: false,
        $defs: { Place: place },
      },
    };
    const { toolConfig } = encode({ tools: [tool] }, { ...nova, plain_schema_root: true });

    expect(toolConfig).toEqual({
      tools: [
        {
          toolSpec: {
            name: 'look',
            description: 'Looks.\n\nA place.',
            inputSchema: {
              json: {
                type: 'object',
                properties: { place: { ...place, description: 'Where.' } },
                required: ['place'],
              },
            },
          },
        },
      ],
    });
  });

  it('has no references for the first models of Nova, even if definitions refer to many others', () => {
    const names = Array.from({ length: 14 }, (_, index) => `D${index}`);
    const definitions = names.map((name, index) => {
      const next = { $ref: `#/$defs/D${index + 1}` };
      return [name, index === 13 ? { type: 'string' } : { type: 'object', properties: { a: next, b: next } }];
    });
    const schemaOf = (first: string) => ({
      $defs: Object.fromEntries(definitions),
      type: 'object',
      properties: { first: { $ref: `#/$defs/${first}` } },
    });
    const sent = (first: string) =>
      encode({ tools: [{ ...lookup, input_schema: schemaOf(first) }] }, { ...nova, plain_schema_root: true });
    const last = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };

    expect(sent('D12')).toHaveProperty(['toolConfig', 'tools', 0, 'toolSpec', 'inputSchema', 'json'], {
      type: 'object',
      properties: { first: last },
    });
    expect(JSON.stringify(sent('D0'))).not.toContain('$ref');
  });

  it('has no tools if none may be called', () => {
    expect(encode({ tools: [lookup], tool_choice: { type: 'none' } })).not.toHaveProperty('toolConfig');
  });

  it.each([
    ['without tools', {}],
    ['without callable tools', { tools: [lookup], tool_choice: { type: 'none' as const } }],
  ])('has calls and results as text in a request %s', (_case, more) => {
    const messages = callAndResult({ content: [text('See'), image], is_error: true });
    const sent = encode({ messages, ...more });
    expect(sent).not.toHaveProperty('toolConfig');
    expect(JSON.stringify(sent)).not.toMatch(/toolUse|toolResult/);
    const said = JSON.stringify((sent as { messages: unknown }).messages);
    expect(said).toContain(String.raw`<call tool=\"lookup\">`);
    expect(said).toMatch(/<result tool=\\"lookup\\" failed=\\"true\\">.*See.*"image".*<\/result>/);
  });

  it('has calls and results if tools may be called', () => {
    expect(JSON.stringify(encode({ messages: callAndResult(), tools: [lookup] }))).toMatch(/toolUse.*toolResult/);
  });

  it('has a schema for an answer, and for the calls of a strict tool', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };

    expect(
      encode({ output_config: { format: { type: 'json_schema', schema } }, tools: [{ ...lookup, strict: true }] }),
    ).toMatchObject({
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'answer', schema: JSON.stringify(schema) } },
        },
      },
      toolConfig: { tools: [{ toolSpec: { strict: true } }] },
    });
  });

  it.each([
    ['claude', claude, { thinking: { type: 'enabled', budget_tokens: 1_024 } }],
    ['nova', nova, { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }],
    ['others', {}, undefined],
  ])('has the thinking settings of each family: %s', (_family, quirks, fields) => {
    const request = { thinking: { type: 'enabled', budget_tokens: 1_024 }, max_tokens: 5_000 };
    // The endpoint writes at most 1,000 tokens, and Claude's budget must be lower.
    const expected = fields && 'thinking' in fields ? { thinking: { type: 'enabled', budget_tokens: 999 } } : fields;

    expect(encode(request, quirks)['additionalModelRequestFields']).toEqual(expected);
  });

  it('has no members of thinking that need a beta', () => {
    const thinking = { type: 'adaptive', display: 'updates', block_binding: { prefix_mismatch_behavior: 'error' } };

    expect(encode({ thinking })['additionalModelRequestFields']).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
    });
  });

  it('has low effort or no thinking for Nova', () => {
    const effort = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } };

    expect(encode(effort, nova)).toMatchObject({
      additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } },
    });
    expect(encode({ thinking: { type: 'disabled' } }, nova)).toMatchObject({
      additionalModelRequestFields: { reasoningConfig: { type: 'disabled' } },
    });
  });

  it('returns thinking to the family that signed it, and drops other thinking', () => {
    const thoughts: Block[] = [
      { type: 'thinking', thinking: 'By Claude', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
      { type: 'thinking', thinking: 'By Nova', signature: 'gw1.amazon-bedrock/m.bm92YQ==' },
      { type: 'thinking', thinking: 'By another', signature: 'gw1.openai-chat' },
      { type: 'redacted_thinking', data: 'gw1.amazon-bedrock/m.aGlk' },
      text('So.'),
    ];
    const messages: MessagesRequest['messages'] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: thoughts },
      { role: 'user', content: 'And?' },
    ];
    const given = (quirks: BedrockConverseQuirks) =>
      (encode({ messages }, quirks)['messages'] as { content: unknown[] }[])[1]!.content;

    expect(given(claude)).toEqual([
      reasoning({ reasoningText: { text: 'By Claude', signature: 'c2ln' } }),
      reasoning({ redactedContent: 'aGlkZGVu' }),
      { text: 'So.' },
    ]);
    expect(given(nova)).toEqual([
      reasoning({ reasoningText: { text: 'By Nova', signature: 'bm92YQ==' } }),
      reasoning({ redactedContent: 'aGlk' }),
      { text: 'So.' },
    ]);
  });

  it.each<[string, Partial<MessagesRequest>, BedrockConverseQuirks?]>([
    [
      'messages.0.content.0.source.type',
      { messages: [{ role: 'user', content: [{ ...image, source: { type: 'url', url: 'https://a' } }] }] },
    ],
    [
      'messages.0.content.0.source.type',
      { messages: [{ role: 'user', content: [pdf({ source: { type: 'url', url: 'https://a' } })] }] },
    ],
    ['messages.0.content.0.source.type', { messages: [{ role: 'user', content: [pdf()] }] }, {}],
    [
      'messages.0.content.0.source.media_type',
      {
        messages: [
          { role: 'user', content: [{ ...image, source: { type: 'base64', media_type: 'image/tiff', data: 'a' } }] },
        ],
      },
    ],
    [
      'messages.0.content.0.citations.enabled',
      { messages: [{ role: 'user', content: [pdf({ citations: { enabled: true } })] }] },
      nova,
    ],
    ['messages.0.content.0.type', { messages: [{ role: 'user', content: [{ type: 'container_upload' }] }] }],
    ['tools.0.type', { tools: [{ name: 'bash', type: 'bash_20250124' }] }],
    ['tools.0.strict', { tools: [{ ...lookup, strict: true }] }, nova],
    ['tool_choice.type', { tool_choice: { type: 'any' } }],
    [
      'tool_choice.type',
      { tools: [lookup, { ...lookup, name: 'other' }], tool_choice: { type: 'tool', name: 'lookup' } },
      {},
    ],
    ['output_config.format', { output_config: { format: { type: 'json_schema', schema: {} } } }, nova],
    ['max_tokens', { max_tokens: 0 }],
    ['messages', { messages: [{ role: 'user', content: '' }] }],
    ['novelty', { novelty: true }],
  ])('is refused by name for unsupported features: %s', (name, more, quirks) => {
    expect(field(more, quirks)).toBe(name);
  });
});
