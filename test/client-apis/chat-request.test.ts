import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { refused } from '../support/refused.ts';

const hello = { role: 'user', content: 'Hello' };
const messageOf = (body: object) =>
  chatRequestSchema.parse({ model: 'sandbox/claude', messages: [hello], ...body }).message;
const faultsOf = (body: object) => {
  const parsed = chatRequestSchema.safeParse({ model: 'sandbox/claude', messages: [hello], ...body });
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
};
const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

const look = { type: 'function', function: { name: 'look' } };

const custom = (more: object = {}) => ({ type: 'custom', custom: { name: 'run', ...more } });

describe('custom tools of a chat', () => {
  it('become functions with one argument, which has the input of earlier calls', () => {
    const grammar = { definition: 'start: "x"', syntax: 'lark' };
    const {
      tools,
      tool_choice: choice,
      messages,
    } = messageOf({
      tools: [custom({ description: 'Runs code.', format: { type: 'grammar', grammar } }), look],
      tool_choice: custom(),
      messages: [
        hello,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'run', input: '1+1' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '2' },
      ],
    });

    expect(tools![0]).toMatchObject({
      name: 'run',
      description: expect.stringMatching(
        /^Runs code\.\n\nThe input has to fit this grammar \(lark\):\nstart: "x"$/,
      ) as string,
      input_schema: { type: 'object', required: ['input'] },
    });
    expect(choice).toEqual({ type: 'tool', name: 'run' });
    expect(messages[1]!.content).toEqual([{ type: 'tool_use', id: 'c1', name: 'run', input: { input: '1+1' } }]);
  });

  it('have no grammar if their input is any text', () => {
    const format = { type: 'text', definition: 'start: "x"', grammar: { definition: 'start: "x"' } };
    const { tools } = messageOf({ tools: [custom({ description: 'Runs code.', format })], messages: [hello] });

    expect(tools![0]!.description).toBe('Runs code.');
  });

  it('keep a long grammar whole', () => {
    const grammar = { definition: `start: ${'"x" '.repeat(10_000)}`, syntax: 'lark' };
    const { tools } = messageOf({ tools: [custom({ format: { type: 'grammar', grammar } })], messages: [hello] });

    expect(tools![0]!.description).toContain(grammar.definition);
  });

  it.each([
    [{ tools: [custom({ name: '' })] }, ['tools.0.custom.name']],
    [{ tools: [custom({ format: { type: 'grammar' } })] }, ['tools.0.custom.format.grammar']],
    [{ tools: [custom({ format: { type: 'xml' } })] }, ['tools.0.custom.format.type']],
    [{ tools: [look, custom({ name: 'look' })] }, ['tools.1.custom.name']],
    [{ tools: [look], tool_choice: custom() }, ['tool_choice']],
    [{ tools: [{ type: 'image_generation' }] }, ['tools.0.type']],
    [
      { messages: [hello, { role: 'assistant', tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'run' } }] }] },
      ['messages.1.tool_calls.0.custom.input'],
    ],
  ])('are refused by the name of the wrong field: %j', (body, fields) => {
    expect(faultsOf(body)).toEqual(fields);
  });
});

describe('a chat as a message', () => {
  it('has its leading system messages as the system prompt, and later ones at their place', () => {
    const { system, messages } = messageOf({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
        hello,
        { role: 'system', content: 'Be fast.' },
        hello,
      ],
    });

    expect(system).toMatchObject([{ text: 'Be short.' }, { text: 'Be kind.' }]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'system', 'user']);
  });

  it('has the results of adjacent tool messages in one message', () => {
    const { messages } = messageOf({
      messages: [
        hello,
        { role: 'assistant', content: null, tool_calls: [call('a', 'look', '{"at":"x"}'), call('b', 'look', '')] },
        { role: 'tool', tool_call_id: 'a', content: 'One' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'Two' }] },
      ],
    });

    expect(messages[1]!.content).toMatchObject([
      { type: 'tool_use', id: 'a', input: { at: 'x' } },
      { type: 'tool_use', id: 'b', input: {} },
    ]);
    expect(messages[2]).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a' },
        { type: 'tool_result', tool_use_id: 'b' },
      ],
    });
  });

  it('passes on arguments that are not a JSON object as a text', () => {
    const { messages } = messageOf({
      messages: [
        hello,
        { role: 'assistant', tool_calls: [call('a', 'look', '{"at":')] },
        { role: 'tool', tool_call_id: 'a', content: 'One' },
      ],
    });

    expect(messages[1]!.content).toMatchObject([{ input: { arguments: '{"at":' } }]);
  });

  it('has thinking before text and calls, with its signature', () => {
    const { messages } = messageOf({
      messages: [
        hello,
        {
          role: 'assistant',
          content: 'Hi',
          reasoning: 'Hm',
          reasoning_details: [{ type: 'reasoning.text', text: 'Hm', signature: 's', index: 0, format: 'unknown' }],
        },
        hello,
      ],
    });

    expect(messages[1]!.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('has no signatures and no encrypted thinking in the formats of other services', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'xai-responses-v1' },
      { type: 'reasoning.text', text: 'So', index: 1 },
      { type: 'reasoning.text', signature: 's', format: 'xai-responses-v1', index: 1 },
      { type: 'reasoning.encrypted', data: 'gAAAA', format: 'openai-responses-v1' },
      { type: 'reasoning.encrypted', data: 'EnCr', format: 'anthropic-claude-v1' },
    ];
    const { messages } = messageOf({
      messages: [hello, { role: 'assistant', content: 'Hi', reasoning_details }, hello],
    });

    expect(messages[1]!.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'thinking', thinking: 'So', signature: '' },
      { type: 'redacted_thinking', data: 'EnCr' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it.each([
    [{ reasoning_effort: 'none' }, { type: 'disabled' }, undefined],
    [{ reasoning: { enabled: false } }, { type: 'disabled' }, undefined],
    [{ thinking: { type: 'disabled' } }, { type: 'disabled' }, undefined],
    [{ enable_thinking: false }, { type: 'disabled' }, undefined],
    [{ reasoning_effort: 'minimal' }, { type: 'adaptive', display: 'summarized' }, { effort: 'minimal' }],
    [{ reasoning: { effort: 'high', exclude: true } }, { type: 'adaptive', display: 'omitted' }, { effort: 'high' }],
    [{ enable_thinking: true }, { type: 'adaptive', display: 'summarized' }, undefined],
    [{ thinking: { type: 'enabled' } }, { type: 'adaptive', display: 'summarized' }, undefined],
    [
      { thinking: { type: 'enabled', budget_tokens: 4_000 } },
      { type: 'enabled', budget_tokens: 4_000, display: 'summarized' },
      undefined,
    ],
    [
      { enable_thinking: true, thinking_budget: 10 },
      { type: 'enabled', budget_tokens: 1_024, display: 'summarized' },
      undefined,
    ],
    [{ chat_template_kwargs: { enable_thinking: false } }, { type: 'disabled' }, undefined],
    [{ chat_template_kwargs: { thinking: false } }, { type: 'disabled' }, undefined],
    [{ reasoning: { enabled: true }, enable_thinking: false }, { type: 'adaptive', display: 'summarized' }, undefined],
  ])('has the thinking settings of %j', (body, thinking, output) => {
    const message = messageOf(body);

    expect(message.thinking).toEqual(thinking);
    expect(message.output_config).toEqual(output);
  });

  it.each([
    [{ max_tokens: 5 }, 5],
    [{ max_completion_tokens: 6 }, 6],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 6],
  ])('has the output limit of %j', (body, limit) => {
    expect(messageOf(body).max_tokens).toBe(limit);
  });

  it('omits default values, because not every provider accepts them', () => {
    const message = messageOf({
      top_p: 1,
      top_k: 0,
      frequency_penalty: 0,
      n: 1,
      logprobs: false,
      store: false,
      stop: null,
    });

    expect(Object.keys(message).toSorted()).toEqual(['messages', 'model']);
  });

  it('omits the limit to the most likely tokens if it is -1, as clients of vLLM send it', () => {
    expect(messageOf({ top_k: -1 })).not.toHaveProperty('top_k');
  });

  it.each([
    [{ tool_choice: 'auto' }, undefined],
    [{ tool_choice: 'none' }, undefined],
    [{ tool_choice: 'required', tools: [look] }, { type: 'any' }],
    [
      { tool_choice: look, tools: [look] },
      { type: 'tool', name: 'look' },
    ],
  ])('has the tool choice of %j', (body, choice) => {
    expect(messageOf(body).tool_choice).toEqual(choice);
  });

  it('has the search settings of the AI SDK for OpenRouter', () => {
    const options = { search_context_size: 'low', max_results: 3, search_prompt: 'News:' };

    expect(messageOf({ web_search_options: options }).plugins).toEqual([
      { id: 'web', max_results: 3, search_prompt: 'News:' },
    ]);
  });

  it.each([
    [{ web_search_options: { more: 1 } }, 'web_search_options.more'],
    [{ web_search_options: { user_location: { more: 1 } } }, 'web_search_options.user_location.more'],
    [
      { web_search_options: { user_location: { type: 'approximate', approximate: { more: 1 } } } },
      'web_search_options.user_location.approximate.more',
    ],
    [{ response_format: { type: 'text', more: 1 } }, 'response_format.more'],
    [{ response_format: { type: 'json_object', more: 1 } }, 'response_format.more'],
    [{ response_format: { type: 'json_schema', json_schema: { more: 1 } } }, 'response_format.json_schema.more'],
    [{ usage: { more: true } }, 'usage.more'],
    [{ tools: [{ type: 'web_search', more: 1 }] }, 'tools.0.more'],
    [{ tools: [{ type: 'openrouter:web_search', parameters: { engine: 'exa' } }] }, 'tools.0.parameters.engine'],
    [{ tools: [{ type: 'web_search', external_web_access: false }] }, 'tools.0.external_web_access'],
    [{ tools: [look], tool_choice: { ...look, more: 1 } }, 'tool_choice.more'],
  ])('is refused with the name of an unknown setting: %j', (body, field) => {
    const read = () => parseWith(chatRequestSchema, { model: 'sandbox/claude', messages: [hello], ...body });

    expect(refused(read).metadata).toMatchObject({ field });
  });

  it.each([
    ['wav', 'audio/wav'],
    ['mp3', 'audio/mpeg'],
  ])('has a recording as a block: %s', (format, media_type) => {
    const part = { type: 'input_audio', input_audio: { data: 'UklGRg==', format } };

    const { messages } = messageOf({ messages: [{ role: 'user', content: [part] }] });

    expect(messages[0]!.content).toEqual([{ type: 'audio', source: { type: 'base64', media_type, data: 'UklGRg==' } }]);
  });

  it.each<[string, object]>([
    ['image_url.url', { type: 'image_url', image_url: { url: 'data:image/png;base64,not base64!!' } }],
    ['image_url', { type: 'image_url', image_url: 'data:image/png;base64,iVBORw0KGgo' }],
    ['file.file_data', { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE\nRi0=' } }],
    ['file.file_data', { type: 'file', file: { file_data: 'data:text/plain;base64,Words.' } }],
    ['input_audio.data', { type: 'input_audio', input_audio: { data: 'not base64!!', format: 'wav' } }],
  ])('is refused if data is not base64: %s', (field, part) => {
    const messages = [{ role: 'user', content: [part] }];

    const refusal = refused(() => parseWith(chatRequestSchema, { model: 'sandbox/claude', messages }));

    expect(refusal.status).toBe(400);
    expect(refusal.metadata).toMatchObject({ field: `messages.0.content.0.${field}` });
    expect(refusal.message).toContain('must be base64');
  });

  it('has the schema next to a format without one in the prompt', () => {
    const { system } = messageOf({ response_format: { type: 'json_object', schema: { type: 'object' } } });

    expect(system).toMatchObject([{ text: expect.stringContaining('{"type":"object"}') as string }]);
  });

  it.each([
    [{ search_context_size: 'low' }, { max_results: 3 }],
    [{ parameters: { max_results: 4, search_context_size: 'low' } }, { max_results: 4 }],
    [{ filters: { blocked_domains: ['a.example'] } }, { blocked_domains: ['a.example'] }],
    [{ filters: { allowed_domains: ['a.example'] } }, { allowed_domains: ['a.example'] }],
  ])('has the search settings of %j', (settings, said) => {
    const { tools } = messageOf({ tools: [{ type: 'web_search', ...settings }] });

    expect(tools).toEqual([{ type: 'web_search_20250305', name: 'web_search', ...said }]);
  });

  it.each([
    [{ tool_choice: 'required' }, ['tool_choice']],
    [{ tool_choice: look }, ['tool_choice']],
    [{ tool_choice: { type: 'function', function: { name: 'see' } }, tools: [look] }, ['tool_choice']],
    [{ tools: [look, look] }, ['tools.1.function.name']],
    [
      { tools: [{ type: 'web_search' }, { type: 'function', function: { name: 'web_search' } }] },
      ['tools.1.function.name'],
    ],
    [{ tools: [{ type: 'function', function: { name: 'web_search' } }, { type: 'web_search' }] }, ['tools.1.type']],
    [{ tools: [{ type: 'web_search' }, { type: 'openrouter:web_search' }] }, ['tools.1.type']],
    [{ n: 2 }, ['n']],
    [{ audio: {} }, ['audio.format']],
    [{ messages: [] }, ['messages']],
    [
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'UklGRg==' } }] }] },
      ['messages.0.content.0.input_audio.format'],
    ],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'input_audio', input_audio: {} }] }] },
      ['messages.0.content.0.type'],
    ],
    [{ reasoning: { effort: 'low', max_tokens: 5 } }, ['reasoning.max_tokens']],
  ])('is refused with the name of the field: %j', (body, fields) => {
    expect(faultsOf(body)).toEqual(fields);
  });
});

const allowed = (mode: string, ...tools: object[]) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } });

describe('a list of allowed tools', () => {
  const other = { type: 'function', function: { name: 'other' } };

  it.each([
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
  ])('leaves only those tools, with the mode %s', (mode, choice) => {
    const message = messageOf({ tools: [look, other, custom()], tool_choice: allowed(mode, look, custom()) });

    expect(message.tools?.map(({ name }) => name)).toEqual(['look', 'run']);
    expect(message.tool_choice).toEqual(choice);
  });

  it('is refused if it demands a call of none of them', () => {
    expect(faultsOf({ tools: [look], tool_choice: allowed('required', other) })).toEqual(['tool_choice']);
  });
});

it('a result of a tool without content is empty', () => {
  const { messages } = messageOf({
    messages: [
      hello,
      { role: 'assistant', tool_calls: [call('a', 'look', '{}')] },
      { role: 'tool', tool_call_id: 'a', content: null },
    ],
  });

  expect(messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [] }] });
});

it('a refused service tier has the accepted ones in its error', () => {
  const body = { model: 'sandbox/claude', messages: [hello], service_tier: 'flex' };
  const [issue] = chatRequestSchema.safeParse(body).error!.issues;

  expect(issue!.path).toEqual(['service_tier']);
  for (const tier of ['auto', 'default', 'standard']) {
    expect(issue!.message).toContain(`"${tier}"`);
    expect(faultsOf({ service_tier: tier })).toEqual([]);
  }
});
