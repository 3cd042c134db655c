import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import type { OpenaiResponsesQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { encodeResponsesRequest } from '../../lambdas/providers/openai-responses/encode.ts';
import { sealReasoning } from '../../lambdas/providers/openai-responses/sealed-reasoning.ts';
import { openaiResponsesWire } from '../../lambdas/providers/openai-responses/wire.ts';

const target = (quirks: OpenaiResponsesQuirks = {}, supportedParameters = ['tools', 'reasoning']) => ({
  providerId: 'acme',
  upstreamModel: 'up',
  maxOutputTokens: 1_000,
  supportedParameters,
  quirks,
});

const request = (more: Partial<MessagesRequest> = {}): MessagesRequest => ({
  model: 'a/b',
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});

const encode = (more: Partial<MessagesRequest>, quirks: OpenaiResponsesQuirks = {}, supportedParameters?: string[]) =>
  encodeResponsesRequest(request(more), target(quirks, supportedParameters));

const inputOf = (messages: MessagesRequest['messages'], quirks: OpenaiResponsesQuirks = {}) =>
  encode({ messages }, quirks)['input'];

const assistant = (content: Block[]) => ({ role: 'assistant' as const, content });
const user = (content: Block[]) => ({ role: 'user' as const, content });
const text = (words: string): Block => ({ type: 'text', text: words });
const call: Block = { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } };
const callItem = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' };
const said = (words: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: words }],
});
const heard = (words: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] });

const byUrl = (type: string, url: string): Block => ({ type, source: { type: 'url', url } });
const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAA' } };
const pdf: Block = {
  type: 'document',
  title: 'Terms',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
};

const cached = { cache_control: { type: 'ephemeral' } };
const marked = (words: string) => ({ ...text(words), ...cached });
const result = (content: string | Block[]): Block => ({ type: 'tool_result', tool_use_id: 'call_1', content });
const sent = (more: Partial<MessagesRequest>) => encode(more, { cache_breakpoints: true });
const point = { prompt_cache_breakpoint: { mode: 'explicit' } };

describe('cache marks', () => {
  const part = (words: string, isMarked = false) => ({ type: 'input_text', text: words, ...(isMarked ? point : {}) });

  it('become breakpoints on parts of the input', () => {
    const { input } = sent({ messages: [user([marked('a'), { ...image, ...cached }, text('b')])] });
    expect(input).toMatchObject([{ content: [part('a', true), { type: 'input_image', ...point }, part('b')] }]);
    expect((input as [{ content: object[] }])[0].content[2]).not.toHaveProperty('prompt_cache_breakpoint');
  });

  it('move the system prompt into the input, divided at the marks', () => {
    expect(sent({ system: [text('a'), marked('b'), marked(' '), text('c')] })).toMatchObject({
      input: [{ role: 'developer', content: [part('a\n\nb', true), part('\n\nc')] }, heard('Hi')],
    });
    expect(sent({ system: [marked('a')] })).not.toHaveProperty('instructions');
    expect(sent({ system: [text('a'), text('b')] })['instructions']).toBe('a\n\nb');
  });

  it('on a system message in the conversation divide it', () => {
    const messages = [user([text('Hi')]), { role: 'system' as const, content: [marked('a'), text('b')] }];
    expect(sent({ messages })['input']).toEqual([
      heard('Hi'),
      { type: 'message', role: 'developer', content: [part('a', true), part('\nb')] },
    ]);
  });

  it('divide no blank text from a system message', () => {
    const messages = [user([text('Hi')]), { role: 'system' as const, content: [marked('a'), text(' ')] }];
    expect(sent({ messages })['input']).toMatchObject([heard('Hi'), { content: [part('a', true)] }]);
  });

  it.each([
    ['on the result', { ...result('a'), ...cached }, [part('a', true)]],
    ['in its content', result([marked('a'), text('b')]), [part('a\nb', true)]],
    ['beside an image', { ...result([text('a'), image]), ...cached }, [part('a'), { type: 'input_image', ...point }]],
    ['on an empty result', { ...result(''), ...cached }, [part('(no output)', true)]],
  ])('of a tool result stand at its end: %s', (_place, block, output) => {
    const { input } = sent({ messages: [assistant([call]), user([block])] });
    expect((input as object[])[1]).toMatchObject({ type: 'function_call_output', output });
  });

  it('on thinking, answers and blank texts are dropped', () => {
    const { input } = sent({
      messages: [
        user([text('Hi')]),
        assistant([{ type: 'thinking', thinking: 'Hm', signature: '', ...cached }, marked('a')]),
        user([marked(' '), text('b')]),
      ],
    });
    expect(JSON.stringify(input)).not.toContain('prompt_cache_breakpoint');
  });

  it('are not sent to models without breakpoints', () => {
    const messages = [user([marked('a')]), assistant([call]), user([{ ...result('b'), ...cached }])];
    const plain = encode({ system: [marked('s')], messages });
    expect(plain).toMatchObject({ instructions: 's', input: [heard('a'), callItem, { output: 'b' }] });
    expect(JSON.stringify(plain)).not.toContain('breakpoint');
  });
});

describe('a request of the Responses API', () => {
  it('streams, and stores nothing at the provider', () => {
    expect(encode({})).toEqual({
      model: 'up',
      input: [heard('Hi')],
      stream: true,
      store: false,
      truncation: 'disabled',
      include: ['reasoning.encrypted_content'],
    });
  });

  it('has the system prompt as its instructions, and later ones at their place', () => {
    const body = encode({
      system: [text('One'), text('Two')],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Later' },
      ],
    });
    expect(body['instructions']).toBe('One\n\nTwo');
    expect(body['input']).toEqual([
      heard('Hi'),
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Later' }] },
    ]);
  });

  it('has later system prompts in the role that the provider reads', () => {
    const messages = [{ role: 'system' as const, content: 'Later' }];
    expect(inputOf(messages, { system_role: 'system' })).toMatchObject([{ role: 'system' }]);
  });

  it('has images, PDF documents and texts of documents', () => {
    const note: Block = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Note' } };
    const content = [image, byUrl('image', 'https://e.org/i'), pdf, byUrl('document', 'https://e.org/d'), note];
    expect(inputOf([user(content)], { pdf_files: true })).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AAA', detail: 'auto' },
          { type: 'input_image', image_url: 'https://e.org/i', detail: 'auto' },
          { type: 'input_file', filename: 'Terms.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          { type: 'input_file', file_url: 'https://e.org/d' },
          { type: 'input_text', text: '<document title="document">\nNote\n</document>' },
        ],
      },
    ]);
  });

  it('has texts and calls of the assistant in order', () => {
    expect(inputOf([assistant([text('A'), text('B'), call, text(''), text('C')])])).toEqual([
      { ...said('A'), content: [...said('A').content, ...said('B').content] },
      callItem,
      said('C'),
      { type: 'function_call_output', call_id: 'call_1', output: '(no result)' },
    ]);
  });
});

const phasesOf = (messages: MessagesRequest['messages'], quirks: OpenaiResponsesQuirks) =>
  (inputOf(messages, quirks) as { phase?: string }[]).map(({ phase }) => phase);

describe('a message of the assistant', () => {
  const turns = [assistant([text('Looking.'), call]), assistant([text('Found.')])];

  it('has a phase before calls if the model requires it', () => {
    expect(phasesOf([turns[0]!], { message_phase: true })).toEqual(['commentary', undefined, undefined]);
    expect(phasesOf([turns[1]!], { message_phase: true })).toEqual(['final_answer']);
  });

  it('has the phase that the client has sent back', () => {
    const { messages } = responsesRequestSchema.parse({
      model: 'openai/gpt-5.4',
      input: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', phase: 'commentary', content: 'Let me think.' },
        { role: 'assistant', phase: 'final_answer', content: [{ type: 'output_text', text: 'Hello.' }] },
        { role: 'user', content: 'And?' },
        { role: 'assistant', phase: null, content: 'Nothing.' },
        { role: 'user', content: 'Then?' },
        { role: 'assistant', phase: 'partial_answer', content: 'A part.' },
      ],
    }).message;

    const phases = [undefined, 'commentary', 'final_answer', undefined, 'final_answer', undefined, 'partial_answer'];
    expect(phasesOf(messages, { message_phase: true })).toEqual(phases);
    expect(phasesOf(messages, {})).toEqual(Array.from({ length: 6 }));
  });

  it('has no phase for other models, which would refuse it', () => {
    expect(phasesOf([turns[1]!], {})).toEqual([undefined]);
  });
});

describe('the result of a tool', () => {
  const outputOf = (result: object) => {
    const results = user([text('And?'), { type: 'tool_result', tool_use_id: 'call_1', ...result }]);
    return inputOf([assistant([call]), results], { pdf_files: true }) as { output: unknown }[];
  };

  it('is directly after its call, and before the text of the user', () => {
    expect(outputOf({ content: 'Nice' })).toEqual([
      callItem,
      { type: 'function_call_output', call_id: 'call_1', output: 'Nice' },
      heard('And?'),
    ]);
  });

  it.each([
    ['texts', { content: [text('A'), text('B')] }, 'A\nB'],
    ['nothing', {}, '(no output)'],
    ['an error', { content: 'Gone', is_error: true }, 'Error: Gone'],
    [
      'an image and a document, which stay in it',
      { content: [text('See'), image, pdf] },
      [
        { type: 'input_text', text: 'See' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAA', detail: 'auto' },
        { type: 'input_file', filename: 'Terms.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      ],
    ],
    [
      'an error with an image',
      { content: [image], is_error: true },
      [
        { type: 'input_text', text: 'Error:' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAA', detail: 'auto' },
      ],
    ],
  ])('is %s', (_, result, expected) => {
    expect(outputOf(result)[1]!.output).toEqual(expected);
  });
});

describe('earlier reasoning', () => {
  const signature = sealReasoning({ id: 'rs_1', encrypted_content: 'gAAA+/=' }, 'acme')!;
  const thinking = (more: object = {}): Block => ({ type: 'thinking', thinking: 'Hm.', signature, ...more });
  const item = {
    type: 'reasoning',
    id: 'rs_1',
    encrypted_content: 'gAAA+/=',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
  };

  it('is sent back unchanged, before the item that followed it', () => {
    expect(inputOf([assistant([thinking(), call])])).toMatchObject([item, callItem, {}]);
    expect(inputOf([assistant([thinking({ thinking: '' }), text('So')])])).toEqual([
      { ...item, summary: [] },
      said('So'),
    ]);
  });

  it('is left out without a following item, because the provider would refuse it', () => {
    expect(inputOf([assistant([text('So'), thinking()]), { role: 'user', content: 'Hi' }])).toEqual([
      said('So'),
      heard('Hi'),
    ]);
  });

  it('is sent once if the client repeats it', () => {
    const repeated = [
      assistant([thinking(), call]),
      { role: 'user' as const, content: 'Hi' },
      assistant([thinking(), text('So')]),
    ];
    const { input } = encode({ messages: repeated }) as { input: { type: string }[] };
    expect(input.filter(({ type }) => type === 'reasoning')).toEqual([item]);
  });

  it.each<[string, Block]>([
    ['another provider', thinking({ signature: sealReasoning({ encrypted_content: 'x' }, 'other') })],
    ['a provider with a similar name', thinking({ signature: signature.replace('acme', 'acme-eu') })],
    ['Anthropic', thinking({ signature: 'EqQBCg' })],
    ['nobody', thinking({ signature: undefined })],
    ['a model that shows it unencrypted', thinking({ signature: 'gw1.openai-responses' })],
    ['a model that hides it', { type: 'redacted_thinking', data: 'AAA' }],
  ])('of %s is left out', (_, foreign) => {
    expect(inputOf([assistant([foreign, text('So')])])).toEqual([said('So')]);
  });

  it('is left out for a model without reasoning', () => {
    const { input } = encode({ messages: [assistant([thinking(), text('So')])] }, {}, []);
    expect(input).toEqual([said('So')]);
  });

  it('is refused by name if its seal was altered', () => {
    const altered = thinking({ signature: `${signature}x` });
    expect(() => inputOf([assistant([altered, text('So')])])).toThrow('messages.0.content.0.signature: was altered');
  });
});

describe('requested reasoning', () => {
  const all: OpenaiResponsesQuirks = { reasoning_efforts: ['none', 'low', 'medium', 'high', 'xhigh'] };
  const adaptive = { type: 'adaptive' };

  it.each<[string, Partial<MessagesRequest>, OpenaiResponsesQuirks, object | undefined]>([
    ['nothing', {}, all, undefined],
    ['thinking', { thinking: adaptive }, all, { effort: 'medium', summary: 'auto' }],
    ['a budget', { thinking: { type: 'enabled', budget_tokens: 2_000 } }, all, { effort: 'low', summary: 'auto' }],
    [
      'a large budget',
      { thinking: { type: 'enabled', budget_tokens: 32_000 } },
      all,
      { effort: 'high', summary: 'auto' },
    ],
    ['thinking that is not displayed', { thinking: { ...adaptive, display: 'omitted' } }, all, { effort: 'medium' }],
    ['thinking without a summary', { thinking: adaptive }, { reasoning_summary: 'none' }, { effort: 'medium' }],
    ['an effort', { output_config: { effort: 'high' } }, all, { effort: 'high' }],
    ['an effort above the highest of the model', { output_config: { effort: 'max' } }, {}, { effort: 'high' }],
    [
      'an effort below the lowest of the model',
      { output_config: { effort: 'low' } },
      { reasoning_efforts: ['medium', 'high'] },
      { effort: 'medium' },
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, all, { effort: 'none' }],
    ['no thinking of a model that always thinks', { thinking: { type: 'disabled' } }, {}, { effort: 'low' }],
    ['an effort of a model without any', { output_config: { effort: 'high' } }, { reasoning_efforts: [] }, undefined],
  ])('is set by %s', (_, more, quirks, expected) => {
    expect(encode(more, quirks)['reasoning']).toEqual(expected);
  });

  it('is not requested from a model without reasoning, which would refuse it', () => {
    const body = encode({ thinking: adaptive }, all, []);
    expect([body['reasoning'], body['include']]).toEqual([undefined, undefined]);
  });

  it.each<[string, Partial<MessagesRequest>, string[], number]>([
    ['held in full', {}, ['reasoning'], 500],
    ['not held if it is disabled', { thinking: { type: 'disabled' } }, ['reasoning'], 0],
    ['not held for a model without it', {}, [], 0],
  ])('is %s', (_, more, parameters, hidden) => {
    expect(openaiResponsesWire.hiddenReasoning(request(more), target(all, parameters), 500)).toBe(hidden);
  });
});

describe('tools of the Responses API', () => {
  const strictSchema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };

  it('are strict only if the client requests it, because the API has strict as its default', () => {
    const { tools } = encode({
      tools: [
        { name: 'free', description: 'Any', input_schema: { type: 'object' } },
        { name: 'firm', input_schema: strictSchema, strict: true },
      ],
    });
    expect(tools).toEqual([
      {
        type: 'function',
        name: 'free',
        description: 'Any',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
      { type: 'function', name: 'firm', parameters: strictSchema, strict: true },
    ]);
  });

  it.each([
    [{ type: 'auto' as const }, 'auto', undefined],
    [{ type: 'any' as const }, 'required', undefined],
    [{ type: 'none' as const }, 'none', undefined],
    [{ type: 'tool' as const, name: 'look' }, { type: 'function', name: 'look' }, undefined],
    [{ type: 'auto' as const, disable_parallel_tool_use: true }, 'auto', false],
  ])('have the choice %j', (choice, expected, parallel) => {
    const body = encode({ tools: [{ name: 'look', input_schema: { type: 'object' } }], tool_choice: choice });
    expect([body['tool_choice'], body['parallel_tool_calls']]).toEqual([expected, parallel]);
  });

  it.each([
    ['functions.look:0', 'toolu_gw1_ZnVuY3Rpb25zLmxvb2s6MA', 'functions.look:0'],
    ['an id of another API', 'toolu_0123456789', 'toolu_0123456789'],
    ['an id that is too long', 'x'.repeat(65), expect.stringMatching(/^[0-9a-f]{24}$/) as string],
  ])('keep the ids of their calls: %s', (_, id, expected) => {
    const input = inputOf([
      assistant([{ ...call, id }]),
      user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }]),
    ]) as { call_id: string }[];
    expect(input[0]!.call_id).toEqual(expected);
    expect(input[1]!.call_id).toBe(input[0]!.call_id);
  });
});

const format = (schema: object) => ({ output_config: { format: { type: 'json_schema', schema } } });

describe('the format of an answer', () => {
  it.each([
    [{ type: 'object', properties: {}, additionalProperties: false }, true],
    [{ type: 'object', properties: { a: {} } }, false],
  ])('is strict if the schema allows it: %j', (schema, strict) => {
    expect(encode(format(schema), {}, ['structured_outputs'])['text']).toEqual({
      format: { type: 'json_schema', name: 'answer', schema, strict },
    });
  });

  it('is refused by name for a model without formats', () => {
    expect(() => encode(format({}))).toThrow('output_config.format');
  });
});

describe('limits and sampling of the Responses API', () => {
  it.each([
    [5_000, {}, 1_000],
    [1, {}, 1],
    [1, { min_output_tokens: 16 }, 16],
    [17, { min_output_tokens: 16 }, 17],
  ])('have max_tokens of %d with %j', (maxTokens, quirks, expected) => {
    expect(encode({ max_tokens: maxTokens }, quirks)['max_output_tokens']).toBe(expected);
  });

  it('include the fields that the model lists, and no others', () => {
    const sampling = { temperature: 0.5, top_p: 0.9, top_k: 5, presence_penalty: 1 };
    expect(encode(sampling, {}, ['temperature'])).toMatchObject({ temperature: 0.5 });
    expect(Object.keys(encode(sampling, {}, ['temperature']))).not.toContain('top_p');
    expect(Object.keys(encode(sampling))).toEqual(Object.keys(encode({})));
  });

  it('include the user only as a digest, if the provider accepts it', () => {
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    const metadata = { user_id: 'ann@example.org' };
    expect(encode({ metadata })).not.toHaveProperty('safety_identifier');
    expect(encode({ metadata }, { safety_identifier: true, prompt_cache_key: true })).toMatchObject({
      safety_identifier: digest,
      prompt_cache_key: digest,
    });
  });
});

it('the detail of an image is sent as the client wrote it', () => {
  const image_url = 'https://example.org/a.png';
  const part = (detail: string) => ({ type: 'input_image', image_url, detail });
  const input = [{ role: 'user', content: [part('high'), part('original')] }];
  const { message } = responsesRequestSchema.parse({ model: 'a/b', input });

  expect(encodeResponsesRequest(message, target())['input']).toMatchObject([{ content: [part('high'), part('auto')] }]);
});

const file = (detail?: string | null) => ({
  type: 'input_file',
  filename: 'a.pdf',
  file_data: 'data:application/pdf;base64,JVBERi0=',
  ...(detail === undefined ? {} : { detail }),
});

it('the detail of a file reaches a model that accepts PDFs', () => {
  const content = [file('low'), file('high'), file('auto'), file(null), file()];
  const { message } = responsesRequestSchema.parse({ model: 'a/b', input: [{ role: 'user', content }] });

  expect(encodeResponsesRequest(message, target({ pdf_files: true }))['input']).toEqual([
    { type: 'message', role: 'user', content: [file('low'), file('high'), file(), file(), file()] },
  ]);
  expect(
    responsesRequestSchema.safeParse({ model: 'a/b', input: [{ role: 'user', content: [file('x')] }] }),
  ).toMatchObject({ success: false });
});

const keyOf = (session: string | undefined, more: object = {}) =>
  encodeResponsesRequest(request(more), target({ prompt_cache_key: true }), session)['prompt_cache_key'];

it('the key of the prompt cache is a digest of the session, even next to an end user', () => {
  const metadata = { user_id: 'u' };

  expect(keyOf('s', { metadata })).toBe(createHash('sha256').update('s').digest('hex'));
  expect(keyOf(undefined, { metadata })).toBe(createHash('sha256').update('u').digest('hex'));
  expect(keyOf(undefined)).toBeUndefined();
});

describe('a feature without a counterpart in the Responses API', () => {
  it.each<[string, Partial<MessagesRequest>, string[]?]>([
    ['max_tokens', { max_tokens: 0 }],
    ['stop_sequences', { stop_sequences: ['END'] }],
    ['stop_sequences', { stop_sequences: ['END'] }, ['stop']],
    ['top_k', { top_k: 5 }, ['top_k']],
    ['tools.0.type', { tools: [{ name: 'bash', type: 'bash_20250124' }] }],
    ['tool_choice.type', { tool_choice: { type: 'any' } }],
    ['messages', { messages: [{ role: 'user', content: '' }] }],
    ['messages.0.content.0.source.type', { messages: [user([pdf])] }],
    [
      'messages.0.content.0.source.type',
      { messages: [user([{ type: 'image', source: { type: 'file', file_id: 'f' } }])] },
    ],
    ['messages.0.content.0.type', { messages: [user([{ type: 'newer' }])] }],
  ])('is refused by name: %s', (field, more, parameters) => {
    expect(() => encode(more, {}, parameters)).toThrow(
      expect.objectContaining({ status: 400, metadata: { field } }) as Error,
    );
  });
});

describe('a model that accepts sampling and probabilities only without reasoning', () => {
  const quirks: OpenaiResponsesQuirks = {
    thinking_fixes_sampling: true,
    logprobs_need_no_thinking: true,
    reasoning_efforts: ['none', 'low', 'high'],
  };
  const listed = ['reasoning', 'temperature', 'top_p', 'logprobs', 'top_logprobs'];
  const cool = { temperature: 0.2, top_p: 0.5 };

  it.each<[string, Partial<MessagesRequest>]>([
    ['switched off', { thinking: { type: 'disabled' } }],
    ['with the effort none', { output_config: { effort: 'none' } }],
  ])('gets sampling if thinking is %s', (_, off) => {
    expect(encode({ ...cool, ...off }, quirks, listed)).toMatchObject({ ...cool, reasoning: { effort: 'none' } });
  });

  it.each<[string, Partial<MessagesRequest>]>([
    ['thinking', { thinking: { type: 'adaptive' } }],
    ['an effort', { output_config: { effort: 'low' } }],
    ['no setting, because most models then think', {}],
  ])('gets no sampling with %s', (_, on) => {
    expect(encode({ ...cool, ...on }, quirks, listed)).not.toHaveProperty('temperature');
    expect(encode({ ...cool, ...on }, quirks, listed)).not.toHaveProperty('top_p');
    expect(openaiResponsesWire.unsupportedTunings!(request({ ...cool, ...on }), target(quirks, listed))).toEqual([
      'temperature',
      'top_p',
    ]);
  });

  it('does not think if the request needs probabilities, and sends no summary', () => {
    const body = encode({ logprobs: true, top_logprobs: 2, thinking: { type: 'adaptive' } }, quirks, listed);

    expect(body['reasoning']).toEqual({ effort: 'none' });
    expect(body).toMatchObject({ top_logprobs: 2 });
    expect(openaiResponsesWire.hiddenReasoning(request({ logprobs: true }), target(quirks, listed), 100)).toBe(0);
  });
});

it('a model that accepts sampling with reasoning gets sampling', () => {
  const cool = { temperature: 0.5, top_p: 0.9 };
  expect(encode(cool, {}, ['temperature', 'top_p', 'reasoning'])).toMatchObject(cool);
});

describe('a choice of tools that a provider does not have', () => {
  const look = { name: 'look', input_schema: { type: 'object' } };
  const quirks: OpenaiResponsesQuirks = { tool_choices: ['auto'] };

  it.each<NonNullable<MessagesRequest['tool_choice']>>([{ type: 'any' }, { type: 'tool', name: 'look' }])(
    'is refused by name if it demands a call: %j',
    (choice) => {
      expect(() => encode({ tools: [look], tool_choice: choice }, quirks)).toThrow('tool_choice.type: ');
    },
  );

  it('is omitted together with the tools if no tool may be called', () => {
    const body = encode({ tools: [look], tool_choice: { type: 'none' } }, quirks);

    expect(Object.keys(body).filter((name) => name.includes('tool'))).toEqual([]);
  });

  it('is not refused if it is the default', () => {
    expect(encode({ tools: [look], tool_choice: { type: 'auto' } }, quirks)).toMatchObject({ tool_choice: 'auto' });
  });
});
