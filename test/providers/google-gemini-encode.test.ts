import { describe, expect, it } from 'vitest';
import type { GoogleGeminiQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, Message, MessagesRequest } from '../../lambdas/messages/types.ts';
import { gatewaySignature } from '../../lambdas/messages/thinking-signatures.ts';
import { sealSignature } from '../../lambdas/providers/google-gemini/signatures.ts';
import { refused } from '../support/refused.ts';
import { googleGeminiWire as wire } from '../../lambdas/providers/google-gemini/wire.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const target = (quirks: GoogleGeminiQuirks = {}) => ({
  providerId: 'google',
  upstreamModel: 'gemini-x',
  maxOutputTokens: 10_000,
  supportedParameters: [
    'temperature',
    'top_p',
    'top_k',
    'frequency_penalty',
    'seed',
    'stop',
    'tools',
    'reasoning',
    'structured_outputs',
  ],
  quirks,
});

const request = (more: Partial<MessagesRequest> = {}): MessagesRequest => ({
  model: 'google/gemini-x',
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});

const encode = (more: Partial<MessagesRequest>, quirks?: GoogleGeminiQuirks) =>
  JSON.parse(wire.encode(request(more), target(quirks), client).body) as Record<string, unknown>;
const contents = (messages: Message[], quirks?: GoogleGeminiQuirks) => encode({ messages }, quirks)['contents'];
const config = (more: Partial<MessagesRequest>, quirks?: GoogleGeminiQuirks) =>
  encode(more, quirks)['generationConfig'];
const userParts = (content: Block[], quirks?: GoogleGeminiQuirks) =>
  (contents([{ role: 'user', content }], quirks) as { parts: unknown[] }[])[0]!.parts;

const thinking = (signature: string, text = ''): Block => ({ type: 'thinking', thinking: text, signature });
const signed = (
  of: Parameters<typeof sealSignature>[0],
  signature: string,
  model = 'gemini-x',
  providerId = 'google',
) => sealSignature(of, signature, { providerId, upstreamModel: model });
const call = (id: string, name: string, input: object = {}): Block => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: string | Block[], more: object = {}): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const image = (media_type: string): Block => ({ type: 'image', source: { type: 'base64', media_type, data: 'AAAA' } });
const imageAt = (url: string): Block => ({ type: 'image', source: { type: 'url', url } });
const pdf: Block = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };

describe('a request to Gemini', () => {
  it('requests probabilities, and those of other tokens', () => {
    expect(config({ logprobs: true })).toEqual({ responseLogprobs: true });
    expect(config({ logprobs: true, top_logprobs: 3 })).toEqual({ responseLogprobs: true, logprobs: 3 });
    expect(config({ logprobs: false, top_logprobs: 3 })).toBe(undefined);
  });

  it('has a seed of 32 bits', () => {
    const ranges = { sampling_ranges: { seed: [-2_147_483_648, 2_147_483_647] as [number, number] } };

    expect(config({ seed: 7 }, ranges)).toEqual({ seed: 7 });
    expect(config({ seed: 2_147_483_648 }, ranges)).toEqual({ seed: -2_147_483_648 });
  });

  it('omits a top_k of 0, which has no effect', () => {
    expect(config({ top_k: 0 })).toBe(undefined);
  });

  it('is sent to the streaming address of its model', () => {
    const { path, body } = wire.encode(request(), target(), client);

    expect(path).toBe('/models/gemini-x:streamGenerateContent?alt=sse');
    expect(JSON.parse(body)).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
  });

  it('forbids a service that may store requests to store it, but not to count its tokens', () => {
    const storing = target({ stores_requests: true, count_tokens: 'contents' });

    expect(JSON.parse(wire.encode(request(), storing, client).body)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      store: false,
    });
    expect(wire.encodeCount(request(), storing, client)?.body).not.toContain('store');
  });

  it('has the system prompt as its instruction, with one part per text', () => {
    const system: Block[] = [
      { type: 'text', text: 'One', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: '' },
      { type: 'text', text: 'Two' },
    ];
    expect(encode({ system })['systemInstruction']).toEqual({ parts: [{ text: 'One' }, { text: 'Two' }] });
  });

  it('merges neighbors of one role into one turn, and marks system messages in between', () => {
    expect(
      contents([
        { role: 'user', content: 'One' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'Two' },
          ],
        },
        { role: 'assistant', content: 'Three' },
        { role: 'user', content: 'Four' },
        { role: 'system', content: 'Be brief' },
      ]),
    ).toEqual([
      { role: 'user', parts: [{ text: 'One' }, { text: 'Two' }] },
      { role: 'model', parts: [{ text: 'Three' }] },
      { role: 'user', parts: [{ text: 'Four' }, { text: '<system>\nBe brief\n</system>' }] },
    ]);
  });

  // https://github.com/QuantumNous/new-api/issues/3502
  it('has photos of iPhones', () => {
    expect(userParts([image('image/heic'), image('image/heif'), imageAt('https://a.example/b.HEIC')])).toEqual([
      { inlineData: { mimeType: 'image/heic', data: 'AAAA' } },
      { inlineData: { mimeType: 'image/heif', data: 'AAAA' } },
      { fileData: { mimeType: 'image/heic', fileUri: 'https://a.example/b.HEIC' } },
    ]);
  });

  it('has images and PDFs inline, and by https addresses', () => {
    const atAddress: Block = { type: 'document', source: { type: 'url', url: 'https://a.example/terms' } };
    expect(userParts([image('image/webp'), imageAt('https://a.example/b.JPG?c=1'), pdf, atAddress])).toEqual([
      { inlineData: { mimeType: 'image/webp', data: 'AAAA' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.example/b.JPG?c=1' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/terms' } },
    ]);
  });

  it('has text documents as text in a tag', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'Rule 1' };
    expect(userParts([{ type: 'document', title: 'Rules', context: 'Old', source }])).toEqual([
      { text: '<document title="Rules">\n<context>Old</context>\nRule 1\n</document>' },
    ]);
  });

  it('has output limits and sampling settings', () => {
    const asked = { max_tokens: 20_000, stop_sequences: ['END'], temperature: 0.5, top_p: 0.9, top_k: 40 };
    expect(config({ ...asked, frequency_penalty: 0.1, presence_penalty: 0.2 })).toEqual({
      maxOutputTokens: 10_000,
      stopSequences: ['END'],
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      frequencyPenalty: 0.1,
    });
  });

  it('requests an answer that fits a schema', () => {
    const schema = { type: 'object', properties: { a: { const: 'x' } }, additionalProperties: false };
    expect(config({ output_config: { format: { type: 'json_schema', schema } } })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: {
        type: 'object',
        properties: { a: { enum: ['x'], type: 'string' } },
        additionalProperties: false,
      },
    });
  });

  it.each<[string, Partial<MessagesRequest>]>([
    ['max_tokens', { max_tokens: 0 }],
    ['stop_sequences', { stop_sequences: ['1', '2', '3', '4', '5', '6'] }],
    ['messages', { messages: [{ role: 'user', content: '' }] }],
    ['tool_choice.type', { tool_choice: { type: 'any' } }],
    ['tools.0.type', { tools: [{ name: 'bash', type: 'bash_20250124' }] }],
    ['messages.0.content.0.source.media_type', { messages: [{ role: 'user', content: [image('image/gif')] }] }],
    ['messages.0.content.0.source.url', { messages: [{ role: 'user', content: [imageAt('https://a.example/b')] }] }],
    ['messages.0.content.0.source.url', { messages: [{ role: 'user', content: [imageAt('http://a.example/b.png')] }] }],
    [
      'messages.0.content.0.source.type',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] },
    ],
    [
      'messages.0.content.0.citations.enabled',
      { messages: [{ role: 'user', content: [{ ...pdf, citations: { enabled: true } }] }] },
    ],
    ['messages.0.content.0.type', { messages: [{ role: 'user', content: [{ type: 'newer' }] }] }],
    ['messages.0.content.0.tool_use_id', { messages: [{ role: 'user', content: [result('t1', 'fine')] }] }],
  ])('is refused by name for unsupported features: %s', (field, more) => {
    expect(() => encode(more)).toThrow(expect.objectContaining({ status: 400, metadata: { field } }) as Error);
  });
});

const tool = (input_schema: Record<string, unknown>, more: object = {}) => ({ name: 'f', input_schema, ...more });
/** Returns the schema in the form in which it is sent. */
const memberSchema = (schema: Record<string, unknown>) => {
  const parameters = { type: 'object', properties: { member: schema } };
  const { tools } = encode({ tools: [tool(parameters)] }) as {
    tools: { functionDeclarations: { parametersJsonSchema: { properties: { member: unknown } } }[] }[];
  };
  return tools[0]!.functionDeclarations[0]!.parametersJsonSchema.properties.member;
};

describe('tools for Gemini', () => {
  it('are declared with their descriptions, followed by examples', () => {
    const tools = [tool({ type: 'object' }, { description: 'Does it', input_examples: [{ a: 1 }] })];
    expect(encode({ tools })['tools']).toEqual([
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'Does it\n\nExamples of input:\n{"a":1}',
            parametersJsonSchema: { type: 'object' },
          },
        ],
      },
    ]);
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ['the draft', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }, { type: 'object' }],
    ['a constant', { const: 3 }, { enum: [3] }],
    ['a limit of whole numbers', { type: 'integer', exclusiveMinimum: 0 }, { type: 'integer', minimum: 1 }],
    ['an upper limit', { type: 'integer', exclusiveMaximum: 9 }, { type: 'integer', maximum: 8 }],
    ['a tuple', { items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }],
    [
      'alternatives',
      { anyOf: [{ const: 'a' }, { type: 'null' }] },
      { anyOf: [{ enum: ['a'], type: 'string' }, { type: 'null' }] },
    ],
    ['a known format', { type: 'string', format: 'date' }, { type: 'string', format: 'date' }],
    [
      'an unsupported keyword',
      { type: 'string', description: 'A name', pattern: '^a', format: 'email', minLength: 2 },
      {
        type: 'string',
        description: 'A name\nConstraints: {"pattern":"^a","format":"email","minLength":2}',
      },
    ],
    [
      'all of one schema',
      { allOf: [{ type: 'string', minLength: 2 }], description: 'A name' },
      { type: 'string', description: 'A name\nConstraints: {"minLength":2}' },
    ],
    [
      'all of one schema with a description of its own',
      { allOf: [{ type: 'string', title: 'Name', description: 'A name' }], description: 'Your name' },
      { type: 'string', title: 'Name', description: 'Your name' },
    ],
    [
      'all of one schema with a keyword of the schema around it',
      { type: 'object', allOf: [{ type: 'object' }] },
      { type: 'object', description: 'Constraints: {"allOf":[{"type":"object"}]}' },
    ],
    ['a constant that is not a string', { const: true }, { description: 'Constraints: {"const":true}' }],
    [
      'nested keywords',
      { type: 'object', properties: { pattern: { type: 'number', exclusiveMinimum: 0 } }, additionalProperties: {} },
      {
        type: 'object',
        properties: { pattern: { type: 'number', description: 'Constraints: {"exclusiveMinimum":0}' } },
        additionalProperties: {},
      },
    ],
  ])('have schemas with keywords that Gemini supports: %s', (_what, schema, said) => {
    expect(memberSchema(schema)).toEqual(said);
  });

  it('have references to definitions, without other keywords', () => {
    const member = { $ref: '#/definitions/a', description: 'Other' };
    const { tools } = encode({ tools: [tool({ type: 'object', definitions: { a: {} }, properties: { member } })] });

    expect(tools).toMatchObject([
      {
        functionDeclarations: [
          {
            parametersJsonSchema: { type: 'object', $defs: { a: {} }, properties: { member: { $ref: '#/$defs/a' } } },
          },
        ],
      },
    ]);
    expect(JSON.stringify(tools)).not.toContain('Other');
  });

  it('have references with descriptions, written as all of one schema', () => {
    const member = { allOf: [{ $ref: '#/$defs/a' }], description: 'Other' };
    const { tools } = encode({ tools: [tool({ type: 'object', $defs: { a: {} }, properties: { member } })] });

    const said = { anyOf: [{ $ref: '#/$defs/a' }], description: 'Other' };
    expect(tools).toMatchObject([
      { functionDeclarations: [{ parametersJsonSchema: { properties: { member: said } } }] },
    ]);
  });

  it('keep the digits of their schemas', () => {
    const schema = { type: 'integer', maximum: JSON.rawJSON('9007199254740993') };
    const { body } = wire.encode(request({ tools: [tool(schema)] }), target(), client);
    expect(body).toContain('"maximum":9007199254740993');
  });

  it.each<[MessagesRequest['tool_choice'], boolean, unknown]>([
    [undefined, false, undefined],
    [{ type: 'auto' }, false, undefined],
    [{ type: 'auto' }, true, { functionCallingConfig: { mode: 'VALIDATED' } }],
    [{ type: 'any' }, true, { functionCallingConfig: { mode: 'ANY' } }],
    [{ type: 'tool', name: 'f' }, false, { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } }],
    [{ type: 'none' }, false, { functionCallingConfig: { mode: 'NONE' } }],
  ])('have the choice %j, with strict: %s', (choice, strict, said) => {
    const more = { tools: [tool({ type: 'object' }, { strict })], ...(choice ? { tool_choice: choice } : {}) };
    expect(encode(more)['toolConfig']).toEqual(said);
  });
});

describe('an answer that the client began', () => {
  const messages: Message[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
  ];

  it('is sent, or refused by name if the model does not continue it', () => {
    expect(contents(messages)).toHaveLength(2);
    const refusal = refused(() => contents(messages, { continues_answers: false }));
    expect(refusal.metadata['field']).toBe('messages.1.role');
    expect(contents([...messages, { role: 'user', content: 'And?' }], { continues_answers: false })).toHaveLength(3);
  });
});

describe('calls and results for Gemini', () => {
  const asked: Message = { role: 'assistant', content: [call('t1', 'look', { at: 1 }), call('t2', 'listen')] };

  const begun = { role: 'user', parts: [{ text: '(the conversation goes on)' }] };

  it('have the names of the calls, are in order, and come before the text of the user', () => {
    const answer: Message = {
      role: 'user',
      content: [{ type: 'text', text: 'And?' }, result('t2', 'Nothing', { is_error: true }), result('t1', 'A lamp')],
    };
    expect(contents([asked, answer])).toEqual([
      begun,
      {
        role: 'model',
        parts: [
          { functionCall: { id: 't1', name: 'look', args: { at: 1 } } },
          { functionCall: { id: 't2', name: 'listen', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 't1', name: 'look', response: { output: 'A lamp' } } },
          { functionResponse: { id: 't2', name: 'listen', response: { error: 'Nothing' } } },
          { text: 'And?' },
        ],
      },
    ]);
  });

  it('have no ids if the provider refuses them', () => {
    const single: Message = { role: 'assistant', content: [call('t1', 'look')] };
    expect(contents([single, { role: 'user', content: [result('t1', 'A lamp')] }], { call_ids: false })).toEqual([
      begun,
      { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'A lamp' } } }] },
    ]);
  });

  const shown = [{ type: 'text', text: 'See' }, image('image/png'), imageAt('https://a.example/b.png')];
  const inline = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
  const atAddress = { fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } };

  it.each<[string, GoogleGeminiQuirks, object, unknown[]]>([
    [
      'inside if the model accepts them there',
      { media_in_results: true },
      { response: { output: 'See\n(the image of this result follows)' }, parts: [inline] },
      [atAddress],
    ],
    [
      'after all results elsewhere',
      {},
      { response: { output: 'See\n(the image of this result follows)\n(the image of this result follows)' } },
      [inline, atAddress],
    ],
  ])('have images %s', (_where, quirks, response, following) => {
    const answer: Message = { role: 'user', content: [result('t1', shown), result('t2', 'Hm')] };
    const [, , { parts }] = contents([asked, answer], quirks) as [object, object, { parts: unknown[] }];
    expect(parts).toEqual([
      { functionResponse: { id: 't1', name: 'look', ...response } },
      { functionResponse: { id: 't2', name: 'listen', response: { output: 'Hm' } } },
      ...following,
    ]);
  });
});

const modelParts = (content: Block[], quirks?: GoogleGeminiQuirks) =>
  (
    contents(
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content },
      ],
      quirks,
    ) as { parts: unknown[] }[]
  )[1]?.parts;

describe('thought signatures sent to Gemini', () => {
  const calling = { functionCall: { id: 't1', name: 'look', args: {} } };
  const asksForThem = { thought_signature_placeholder: true };

  it('are on the part that each arrived with', () => {
    expect(
      modelParts([
        thinking(signed('thought', 'A'), 'First'),
        { type: 'text', text: 'Well' },
        thinking(signed('text', 'B')),
        thinking(signed('call', 'C'), 'A summary, which would be billed again'),
        call('t1', 'look'),
        call('t2', 'look'),
      ]),
    ).toEqual([
      { text: 'First', thought: true, thoughtSignature: 'A' },
      { text: 'Well', thoughtSignature: 'B' },
      { ...calling, thoughtSignature: 'C' },
      { functionCall: { id: 't2', name: 'look', args: {} } },
    ]);
  });

  it('are on the calls in their order, if a client puts all thinking before all calls', () => {
    const before = [thinking(signed('call', 'C')), thinking(signed('call', 'D'))];
    expect(modelParts([...before, call('t1', 'look'), call('t2', 'look')])).toEqual([
      { ...calling, thoughtSignature: 'C' },
      { functionCall: { id: 't2', name: 'look', args: {} }, thoughtSignature: 'D' },
    ]);
  });

  it('are not on another call if the client has dropped their call', () => {
    const kept = [thinking(signed('call', 'C')), thinking(signed('call', 'D')), call('t1', 'look')];
    expect(modelParts(kept)).toEqual([{ ...calling, thoughtSignature: 'D' }]);
  });

  it('are on an empty text if the text is missing', () => {
    expect(modelParts([thinking(signed('text', 'B')), call('t1', 'look')])).toEqual([
      { text: '', thoughtSignature: 'B' },
      calling,
    ]);
  });

  it.each<[string, Block[]]>([
    ['were dropped by the client', []],
    ['are of another provider', [thinking(signed('call', 'C', 'gemini-x', 'vertex'))]],
    ['are of another model', [thinking(signed('call', 'C', 'gemini-y'))]],
    ['are of another family', [thinking('EqQBCgIYAh'), { type: 'redacted_thinking', data: 'x' }]],
    ['have none', [thinking(gatewaySignature('google'))]],
    ['were changed', [thinking(gatewaySignature('google', 'bm90IGpzb24'))]],
  ])('are replaced, only on the first call, by the documented placeholder if they %s', (_why, before) => {
    expect(modelParts([...before, call('t1', 'look'), call('t2', 'look')], asksForThem)).toEqual([
      { ...calling, thoughtSignature: 'skip_thought_signature_validator' },
      { functionCall: { id: 't2', name: 'look', args: {} } },
    ]);
  });

  it('are not replaced if the model does not require them', () => {
    expect(modelParts([call('t1', 'look')])).toEqual([calling]);
  });

  it('are not sent for a turn with only thinking of other models, which is dropped', () => {
    expect(modelParts([thinking('EqQBCgIYAh', 'Hm')])).toBeUndefined();
  });
});

const enabled = (budget_tokens: number, more: object = {}) => ({ type: 'enabled', budget_tokens, ...more });

describe('a schema of the answer next to tools', () => {
  const output_config = { format: { type: 'json_schema', schema: { type: 'object', properties: {} } } };
  const both = { tools: [tool({ type: 'object', properties: {} })], output_config };

  it('is refused by name on Gemini 2.5, and sent to newer models', () => {
    expect(() => encode(both, { format_excludes_tools: true })).toThrow('together with tools');
    expect(encode(both)).toMatchObject({ tools: [{}], generationConfig: { responseMimeType: 'application/json' } });
  });

  it('is left out if a call is forced, which has no text', () => {
    const sent = encode({ ...both, tool_choice: { type: 'any' } });
    expect(sent).toMatchObject({ toolConfig: { functionCallingConfig: { mode: 'ANY' } } });
    expect(JSON.stringify(sent)).not.toContain('responseMimeType');
  });

  it('is sent alone if no tool may be called', () => {
    const none = { ...both, tool_choice: { type: 'none' as const } };
    const sent = encode(none, { format_excludes_tools: true });
    expect(sent).toMatchObject({ generationConfig: { responseMimeType: 'application/json' } });
    expect(sent).not.toHaveProperty('tools');
  });
});

describe('thinking settings for Gemini', () => {
  const budget = { thinking_budget: { least: 128, most: 32_768 }, thinks_by_default: true };
  const canStop = { thinking_budget: { least: 0, most: 24_576 }, thinks_by_default: false };
  const levels: GoogleGeminiQuirks = { thinking_levels: ['low', 'high'], thinks_by_default: true };

  it.each<[string, Partial<MessagesRequest>, GoogleGeminiQuirks, object | undefined, boolean]>([
    ['as by default', {}, budget, undefined, true],
    ['not by default', {}, canStop, undefined, false],
    ['by a budget', { thinking: enabled(2_000) }, budget, { includeThoughts: true, thinkingBudget: 2_000 }, true],
    [
      'by no more than it can',
      { thinking: enabled(40_000) },
      budget,
      { includeThoughts: true, thinkingBudget: 32_768 },
      true,
    ],
    ['as it likes', { thinking: { type: 'adaptive' } }, canStop, { includeThoughts: true, thinkingBudget: -1 }, true],
    ['as little as it can', { thinking: { type: 'disabled' } }, budget, { thinkingBudget: 128 }, true],
    ['not at all', { thinking: { type: 'disabled' } }, canStop, { thinkingBudget: 0 }, false],
    ['by an effort', { output_config: { effort: 'low' } }, canStop, { thinkingBudget: 4_096 }, true],
    [
      'with room for text',
      { max_tokens: 3_000, output_config: { effort: 'max' } },
      canStop,
      { thinkingBudget: 1_500 },
      true,
    ],
    ['out of sight', { thinking: enabled(2_000, { display: 'omitted' }) }, budget, { thinkingBudget: 2_000 }, true],
    [
      'by the level of a budget',
      { thinking: enabled(2_000) },
      levels,
      { includeThoughts: true, thinkingLevel: 'low' },
      true,
    ],
    [
      'by the least level for the least effort',
      { output_config: { effort: 'minimal' } },
      { thinking_levels: ['minimal', 'low', 'high'] },
      { thinkingLevel: 'minimal' },
      true,
    ],
    [
      'by the next level above the least effort',
      { output_config: { effort: 'minimal' } },
      levels,
      { thinkingLevel: 'low' },
      true,
    ],
    ['by the next level', { output_config: { effort: 'medium' } }, levels, { thinkingLevel: 'high' }, true],
    ['by the highest level', { output_config: { effort: 'xhigh' } }, levels, { thinkingLevel: 'high' }, true],
    [
      'by the level of its name above high',
      { output_config: { effort: 'xhigh' } },
      { thinking_levels: ['low', 'medium', 'high', 'xhigh'] },
      { thinkingLevel: 'xhigh' },
      true,
    ],
    [
      'by the highest level for the highest effort',
      { output_config: { effort: 'max' } },
      { thinking_levels: ['low', 'medium', 'high', 'xhigh'] },
      { thinkingLevel: 'xhigh' },
      true,
    ],
    [
      'by no higher level than a large budget',
      { thinking: enabled(100_000) },
      { thinking_levels: ['low', 'medium', 'high', 'xhigh'] },
      { includeThoughts: true, thinkingLevel: 'high' },
      true,
    ],
    ['by the least level', { thinking: { type: 'disabled' } }, levels, { thinkingLevel: 'low' }, true],
    ['as it likes, by level', { thinking: { type: 'adaptive' } }, levels, { includeThoughts: true }, true],
  ])('are sent %s, and the hold covers thinking if it is possible', (_how, more, quirks, said, mayThink) => {
    const generationConfig = config(more, quirks) as { thinkingConfig?: object } | undefined;
    expect(generationConfig?.thinkingConfig).toEqual(said);
    expect(wire.hiddenReasoning(request(more), target(quirks), 900)).toBe(mayThink ? 900 : 0);
  });

  it('are not sent to a model without thinking', () => {
    const plain = { ...target(), supportedParameters: [] };
    const asked = request({ thinking: { type: 'adaptive' } });
    expect(wire.encode(asked, plain, client).body).not.toContain('thinkingConfig');
    expect(wire.hiddenReasoning(asked, plain, 900)).toBe(0);
  });
});

describe('a token count from Gemini', () => {
  const tools = [{ name: 'f' }];
  const asked = request({ system: 'Be brief', max_tokens: 10, tools, tool_choice: { type: 'any' } });
  const prompt = {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    systemInstruction: { parts: [{ text: 'Be brief' }] },
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
  };
  const toolConfig = { functionCallingConfig: { mode: 'ANY' } };

  it.each<[GoogleGeminiQuirks['count_tokens'], unknown]>([
    ['request', { generateContentRequest: { model: 'models/gemini-x', ...prompt, toolConfig } }],
    ['contents', prompt],
  ])('is requested for the whole prompt (%s)', (count_tokens, body) => {
    const encoded = wire.encodeCount(asked, target({ count_tokens }), client)!;
    expect(encoded.path).toBe('/models/gemini-x:countTokens');
    expect(JSON.parse(encoded.body)).toEqual(body);
  });

  it('is not requested if the endpoint has no counts', () => {
    expect(wire.encodeCount(asked, target(), client)).toBeUndefined();
  });
});

const earlierImage = (data: string): Block => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});
const drawn = (data: string, thoughtSignature: string) => ({
  inlineData: { mimeType: 'image/png', data },
  thoughtSignature,
});

describe('an answer with images from Gemini', () => {
  const drawing = { modalities: ['image', 'text'] as const };
  const quirks: GoogleGeminiQuirks = { modalities: ['image'], image_sizes: ['1K', '2K'] };

  it('is requested with its shape and size', () => {
    const image_config = { aspect_ratio: '16:9', image_size: '2K' };
    expect(config({ ...drawing, image_config }, quirks)).toEqual({
      responseModalities: ['IMAGE', 'TEXT'],
      imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
    });
    expect(config(drawing, quirks)).toEqual({ responseModalities: ['IMAGE', 'TEXT'] });
  });

  it('is refused in a size that the model does not draw', () => {
    const image_config = { image_size: '4K' };
    expect(() => encode({ ...drawing, image_config }, quirks)).toThrow('must be one of 1K, 2K');
    expect(() => encode({ ...drawing, image_config }, { modalities: ['image'] })).toThrow(
      'has no effect on this model',
    );
  });

  it('is refused together with tools that the model does not call', () => {
    const plain = { ...target(quirks), supportedParameters: [] };
    const asked = request({ ...drawing, tools: [{ name: 'f' }] });
    expect(() => wire.encode(asked, plain, client)).toThrow('does not call tools');
  });

  it('goes back with its signatures, in the order of the images', () => {
    const content = [
      thinking(signed('image', 'c2ln')),
      thinking(signed('image', 'c2lo')),
      { type: 'text', text: 'Two.' },
      earlierImage('QQ=='),
      earlierImage('Qg=='),
      earlierImage('Qw=='),
    ];
    const messages: Message[] = [
      { role: 'user', content: 'Draw' },
      { role: 'assistant', content },
      { role: 'user', content: 'More' },
    ];
    const placeholder = 'skip_thought_signature_validator';
    expect(contents(messages, { ...quirks, thought_signature_placeholder: true })).toEqual([
      { role: 'user', parts: [{ text: 'Draw' }] },
      {
        role: 'model',
        parts: [
          { text: 'Two.', thoughtSignature: placeholder },
          drawn('QQ==', 'c2ln'),
          drawn('Qg==', 'c2lo'),
          drawn('Qw==', placeholder),
        ],
      },
      { role: 'user', parts: [{ text: 'More' }] },
    ]);
    expect(() => contents(messages)).toThrow('blocks of type "image" do not work');
  });
});
