import { describe, expect, it } from 'vitest';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { deepestIssue } from '../../lambdas/platform/zod-messages.ts';
import { refused } from '../support/refused.ts';

const messageOf = (body: object) =>
  responsesRequestSchema.parse({ model: 'sandbox/claude', input: 'Hello', ...body }).message;
const faultsOf = (body: object) => {
  const parsed = responsesRequestSchema.safeParse({ model: 'sandbox/claude', input: 'Hello', ...body });
  return parsed.success ? [] : parsed.error.issues.map((issue) => deepestIssue(issue).path.join('.'));
};
const asked = { role: 'user', content: 'Hello' };
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{"at":"x"}' });
const output = (id: string, text = 'Seen') => ({ type: 'function_call_output', call_id: id, output: text });

const parsed = (input: object[]) => parseWith(responsesRequestSchema, { model: 'sandbox/claude', input });

const look = { type: 'function', name: 'look' };
const search = { type: 'web_search' };

it('cache marks of tools, messages and outputs reach the model', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const { tools, messages } = messageOf({
    tools: [
      { ...look, ...mark },
      { type: 'custom', name: 'patch', ...mark },
    ],
    input: [{ ...asked, prompt_cache_breakpoint: { mode: 'explicit' } }, call('a'), { ...output('a'), ...mark }],
  });

  expect(tools).toMatchObject([mark, mark]);
  expect(messages[0]!.content).toMatchObject([{ text: 'Hello', ...mark }]);
  expect(messages[2]!.content).toMatchObject([{ tool_use_id: 'a', ...mark }]);
});

describe('the input of a response as messages', () => {
  it('is one message of the user if it is a text', () => {
    expect(messageOf({}).messages).toEqual([{ role: 'user', content: 'Hello' }]);
  });

  it('has instructions and leading developer messages as the system prompt', () => {
    const { system } = messageOf({
      instructions: 'Be short.',
      input: [{ role: 'developer', content: 'Be kind.' }, asked],
    });

    expect(system).toMatchObject([{ text: 'Be short.' }, { text: 'Be kind.' }]);
  });

  it('has adjacent items of the assistant in one message, and adjacent results too', () => {
    const { messages } = messageOf({
      input: [
        asked,
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
        call('a'),
        call('b'),
        output('a'),
        output('b'),
      ],
    });

    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[1]!.content).toMatchObject([{ type: 'text' }, { id: 'a', input: { at: 'x' } }, { id: 'b' }]);
    expect(messages[2]!.content).toMatchObject([{ tool_use_id: 'a' }, { tool_use_id: 'b' }]);
  });

  it('has an output without a call as a text of the user, after the results', () => {
    const goal = { type: 'function_call_output', name: 'goal_objective', namespace: 'agent', output: 'Kazan' };

    const { messages } = messageOf({ input: [asked, call('a'), call('b'), output('a'), goal, output('b')] });

    expect(messages[2]!.content).toMatchObject([
      { tool_use_id: 'a' },
      { tool_use_id: 'b' },
      { type: 'text', text: 'goal_objective:' },
      { type: 'text', text: 'Kazan' },
    ]);
  });

  it('has custom tools as functions with one argument, and their calls too', () => {
    const { tools, messages } = messageOf({
      tools: [{ type: 'custom', name: 'patch', description: 'Patches.' }],
      input: [
        asked,
        { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'a', output: 'Done' },
      ],
    });

    expect(tools).toMatchObject([{ name: 'patch', input_schema: { properties: { input: { type: 'string' } } } }]);
    expect(messages[1]!.content).toMatchObject([{ type: 'tool_use', name: 'patch', input: { input: '*** Begin' } }]);
  });

  it('omits tools that agents always declare but only OpenAI runs, and thinking of other services', () => {
    const { tools, messages } = messageOf({
      tools: [
        { type: 'tool_search' },
        { type: 'image_generation' },
        { type: 'function', name: 'look', parameters: { type: 'object' } },
      ],
      input: [
        asked,
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'of another service' },
        call('a'),
        output('a'),
      ],
    });

    expect(tools!.map(({ name }) => name)).toEqual(['look']);
    expect(messages[1]!.content).toMatchObject([{ type: 'tool_use' }]);
  });

  it('accepts groups of tools with the same names, and a repeated group', () => {
    const group = { type: 'namespace', name: 'look', tools: [look, look] };

    const { tools } = messageOf({ tools: [group, group, look, { ...search, external_web_access: false }, search] });

    expect(tools!.map(({ name }) => name)).toEqual(['look__look', 'look', 'web_search']);
  });

  it('reads an item by its type, also if a client added a role', () => {
    const { messages } = messageOf({
      input: [
        asked,
        { type: 'reasoning', role: 'assistant', summary: [] },
        { ...call('a'), role: 'assistant' },
        { ...output('a'), role: 'tool' },
      ],
    });

    expect(messages.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ]);
  });

  it.each([
    [{ text: { format: { type: 'json_schema', more: 1 } } }, 'text.format.more'],
    [{ tools: [{ ...search, more: 1 }] }, 'tools.0.more'],
    [{ tools: [{ ...search, filters: { more: 1 } }] }, 'tools.0.filters.more'],
    [{ tools: [look], tool_choice: { ...look, more: 1 } }, 'tool_choice.more'],
    [{ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [], more: 1 } }, 'tool_choice.more'],
  ])('is refused with the name of an unknown setting: %j', (body, field) => {
    const read = () => parseWith(responsesRequestSchema, { model: 'sandbox/claude', input: 'Hello', ...body });

    expect(refused(read).metadata).toMatchObject({ field });
  });

  it('has a recording as a block', () => {
    const part = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'mp3' } };

    const { messages } = messageOf({ input: [{ role: 'user', content: [part] }] });

    expect(messages[0]!.content).toEqual([
      { type: 'audio', source: { type: 'base64', media_type: 'audio/mpeg', data: 'UklGRg==' } },
    ]);
  });

  it.each<[string, object]>([
    ['image_url', { type: 'input_image', image_url: 'data:image/png;base64,not base64!!' }],
    ['file_data', { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0' }],
  ])('is refused if data is not base64: %s', (field, part) => {
    const asked = { type: 'message', role: 'user', content: [part] };
    const answered = { type: 'function_call_output', call_id: 'a', output: [part] };

    expect(refused(() => parsed([asked])).metadata).toMatchObject({ field: `input.0.content.0.${field}` });
    expect(refused(() => parsed([call('a'), answered])).metadata).toMatchObject({ field: `input.1.output.0.${field}` });
    expect(refused(() => parsed([asked])).message).toContain('its data must be base64');
  });

  it.each([
    [{}, false],
    [{ reasoning: { effort: 'low' } }, false],
    [{ reasoning: { summary: 'none' } }, false],
    [{ reasoning: { summary: 'auto' } }, true],
    [{ reasoning: { generate_summary: 'concise' } }, true],
  ])('includes thinking only if a summary is requested: %j', (body, shows) => {
    const call = responsesRequestSchema.parse({ model: 'sandbox/claude', input: 'Hello', ...body });

    expect(call.showsThinking).toBe(shows);
  });

  it('accepts the search of Codex in pages that a search engine has indexed', () => {
    const indexed = { ...search, external_web_access: true, indexed_web_access: true };

    expect(messageOf({ tools: [indexed] }).tools).toEqual(messageOf({ tools: [search] }).tools);
  });

  it("omits a search in OpenAI's stored pages, whatever its settings", () => {
    const stored = { ...search, external_web_access: false, more: 1 };

    expect(messageOf({ tools: [stored] }).tools).toBeUndefined();
  });

  it.each([
    [{ tool_choice: 'auto' }, undefined],
    [{ tool_choice: 'none', tools: [{ type: 'image_generation' }] }, undefined],
    [{ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] }, tools: [look] }, undefined],
    [{ tool_choice: 'required', tools: [look] }, { type: 'any' }],
    [
      { tool_choice: { type: 'web_search' }, tools: [search] },
      { type: 'tool', name: 'web_search' },
    ],
  ])('has the tool choice of %j', (body, choice) => {
    expect(messageOf(body).tool_choice).toEqual(choice);
  });

  it.each([
    [{ tools: [look, { type: 'custom', name: 'look' }] }, ['tools.1.name']],
    [
      { tools: [{ type: 'mcp' }, look, look], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } },
      ['tools.2.name'],
    ],
    [{ tools: [search, { type: 'function', name: 'web_search' }] }, ['tools.1.name']],
    [{ tools: [search, { type: 'web_search_preview' }] }, ['tools.1.type']],
    [{ tool_choice: 'required' }, ['tool_choice']],
    [{ tool_choice: 'required', tools: [{ type: 'image_generation' }] }, ['tool_choice']],
    [{ tool_choice: { type: 'image_generation' }, tools: [{ type: 'image_generation' }] }, ['tool_choice']],
    [{ tool_choice: { type: 'function', name: 'see' }, tools: [look] }, ['tool_choice']],
    [
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'mcp' }] }, tools: [look] },
      ['tool_choice'],
    ],
    [{ tool_choice: { type: 'allowed_tools', mode: 'auto' } }, ['tool_choice.tools']],
    [{ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: 'abc' } }, ['tool_choice.tools']],
    [{ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [null] } }, ['tool_choice.tools.0']],
    [{ tool_choice: { type: 'allowed_tools', mode: 'any', tools: [] } }, ['tool_choice.mode']],
    [{ tool_choice: { name: 'look' } }, ['tool_choice.type']],
    [{ tool_choice: 'any' }, ['tool_choice']],
    [{ previous_response_id: 'resp_1' }, ['previous_response_id']],
    [{ input: [{ type: 'item_reference', id: 'rs_1' }] }, ['input.0.type']],
    [{ input: [{ type: 'function_call_output', output: 'x' }] }, ['input.0.call_id']],
    [{ input: [{ type: 'custom_tool_call_output', output: 'x' }] }, ['input.0.call_id']],
    [{ input: [] }, ['input']],
    [{ background: true }, ['background']],
  ])('is refused with the name of the field: %j', (body, fields) => {
    expect(faultsOf(body)).toEqual(fields);
  });
});

it('an input of instructions alone is answered: the last instruction becomes the message of the user', () => {
  const { system, messages } = messageOf({
    input: [
      { role: 'developer', content: 'Be short.' },
      { role: 'developer', content: 'Write a poem.' },
    ],
  });

  expect(system).toEqual([{ type: 'text', text: 'Be short.' }]);
  expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Write a poem.' }] }]);
});

const set = (settings: object) => ({ type: 'configuration_update', ...settings });

describe('settings that a conversation changes', () => {
  const user = { role: 'user', content: 'Hi' };
  const schema = { type: 'object', properties: { count: { type: 'number' } } };
  const json = { type: 'json_schema', name: 'crates', schema };
  const sent = (updates: object[], more: object = {}) =>
    responsesRequestSchema.parse({ model: 'm', input: [user, ...updates, user], ...more }).message;

  it('replace the effort and the format of the request, the last of each', () => {
    const updates = [
      set({ reasoning: { effort: 'low' }, text: { format: json } }),
      set({ reasoning: { effort: 'high' } }),
    ];
    const { messages, output_config: output } = sent(updates, { reasoning: { effort: 'max' } });
    expect(output).toEqual({ effort: 'high', format: { type: 'json_schema', name: 'crates', schema } });
    expect(messages).toHaveLength(2);
  });

  it('may return to plain text', () => {
    const text = { text: { format: json } };
    expect(sent([set({ text: { format: { type: 'text' } } })], text).output_config).toBeUndefined();
    expect(sent([set({ reasoning: null })], text).output_config?.format).toBeDefined();
  });

  it('have the values that a request may have', () => {
    expect(() => sent([set({ reasoning: { effort: 'huge' } })])).toThrow('effort');
  });
});
