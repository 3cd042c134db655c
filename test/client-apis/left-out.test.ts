import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { refused } from '../support/refused.ts';

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const response = { model: 'm', input: 'Hi' };
const readChat = (more: object) => parseWith(chatRequestSchema, { ...chat, ...more });
const readResponse = (more: object) => parseWith(responsesRequestSchema, { ...response, ...more });

describe('a field that requests a feature, of either API', () => {
  it.each([
    [{ background: true }, 'background'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ attachments: [{ file_id: 'file_1' }] }, 'attachments'],
  ])('is refused by name in both APIs: %j', (more, field) => {
    expect(refused(() => readChat(more)).metadata).toMatchObject({ field });
    expect(refused(() => readResponse(more)).metadata).toMatchObject({ field });
  });

  it.each([
    [{ instructions: 'Be short.' }, 'instructions'],
    [{ text: { format: { type: 'json_object' } } }, 'text'],
  ])('is refused by name in the chat API: %j', (more, field) => {
    expect(refused(() => readChat(more)).metadata).toMatchObject({ field });
  });

  it('has no effect with the value that requests nothing', () => {
    const nothing = { background: false, previous_response_id: '', conversation: '', prompt: null, attachments: [] };
    expect(readChat({ ...nothing, instructions: '', text: null }).leftOut).toEqual([]);
    expect(readResponse(nothing).leftOut).toEqual([]);
  });
});

it('max_output_tokens limits the answer in both APIs, before the older names', () => {
  const limits = { max_output_tokens: 30, max_completion_tokens: 20, max_tokens: 10 };
  expect(readChat(limits)).toMatchObject({ leftOut: [], message: { max_tokens: 30 } });
  expect(readResponse(limits)).toMatchObject({ leftOut: [], message: { max_tokens: 30 } });
});

describe('a left-out field', () => {
  it.each([
    [{ newest_field: 1 }, ['newest_field']],
    [{ reasoning: { effort: 'low', context: 'all_turns' } }, ['reasoning.context']],
    [
      { prompt_cache_options: { mode: 'explicit' }, prompt_cache_retention: '24h' },
      ['prompt_cache_options', 'prompt_cache_retention'],
    ],
    [{ prediction: { type: 'content', content: 'x' } }, ['prediction']],
    [{ newest_field: null }, []],
    [{ 'a\r\nset-cookie: b': 1, 'c d': 2 }, ['other']],
  ])('is reported by name, in both APIs: %j', (more, names) => {
    expect(readChat(more).leftOut).toEqual(names);
    expect(readResponse(more).leftOut).toEqual(names);
    expect(Object.keys(readChat(more).message)).not.toContain('newest_field');
  });

  it('is reported by name if it is a member of `thinking` of the chat API', () => {
    const { leftOut, message } = readChat({ thinking: { type: 'enabled', clear_thinking: false } });
    expect(leftOut).toEqual(['thinking.clear_thinking']);
    expect(message.thinking).toMatchObject({ type: 'adaptive' });
  });

  it('is refused by name if the request requires all parameters', () => {
    const insists = { provider: { require_parameters: true }, newest_field: 1 };

    expect(refused(() => readChat(insists)).metadata).toMatchObject({ field: 'newest_field' });
    expect(refused(() => readResponse(insists)).metadata).toMatchObject({ field: 'newest_field' });
  });

  it.each([
    [{ seed: 1.5 }, 'seed'],
    [{ min_p: 2 }, 'min_p'],
    [{ logit_bias: { 1: 200 } }, 'logit_bias.1'],
    [{ moderation: { model: 'x' } }, 'moderation'],
    [{ prompt_cache_options: { prewarm: true } }, 'prompt_cache_options.prewarm'],
  ])('is not a known field with a wrong or effective value: %j', (more, field) => {
    expect(refused(() => readChat(more)).metadata).toMatchObject({ field });
    expect(refused(() => readResponse(more)).metadata).toMatchObject({ field });
  });
});

/**
 * Agents that change from one of OpenAI's APIs to the other keep fields
 * (https://github.com/decolua/9router/issues/846).
 */
describe('a field of chat completions in the Responses API', () => {
  it.each([
    [{ max_tokens: 9 }, { max_tokens: 9 }],
    [{ max_tokens: 9, max_completion_tokens: 8 }, { max_tokens: 8 }],
    [{ max_tokens: 9, max_completion_tokens: 8, max_output_tokens: 7 }, { max_tokens: 7 }],
    [{ reasoning_effort: 'high' }, { output_config: { effort: 'high' } }],
    [{ reasoning_effort: 'high', reasoning: { effort: 'low' } }, { output_config: { effort: 'low' } }],
    [{ stop: ['END'] }, { stop_sequences: ['END'] }],
    [{ verbosity: 'low' }, { verbosity: 'low' }],
    [{ text: { verbosity: 'xhigh' } }, { verbosity: 'high' }],
    [{ verbosity: 'max' }, { verbosity: 'high' }],
    [{ verbosity: 'low', text: { verbosity: 'high' } }, { verbosity: 'high' }],
    [
      { logprobs: true, top_logprobs: 2 },
      { logprobs: true, top_logprobs: 2 },
    ],
    [{ cache_control: { type: 'ephemeral' } }, { cache_control: { type: 'ephemeral' } }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array' } } } },
      { output_config: { format: { type: 'json_schema', name: 'x', schema: { type: 'array' } } } },
    ],
  ])('has its effect: %j', (more, expected) => {
    const { message, leftOut } = readResponse(more);

    expect(message).toMatchObject(expected);
    expect(leftOut).toEqual([]);
  });

  it.each([
    [{ n: 2 }, 'n'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
  ])('is refused by name: %j', (more, field) => {
    expect(refused(() => readResponse(more)).metadata).toMatchObject({ field });
  });
});

describe('tuning fields', () => {
  it('are passed to the engine, without default values', () => {
    const tuned = { seed: 7, min_p: 0.1, top_a: 0, logit_bias: { 5: -100 } };

    expect(readChat({ ...tuned, verbosity: 'low' }).message).toMatchObject({ seed: 7, min_p: 0.1, verbosity: 'low' });
    expect(readResponse({ ...tuned, text: { verbosity: 'high' } }).message).toMatchObject({
      verbosity: 'high',
      logit_bias: { 5: -100 },
    });
    expect(readChat(tuned).message).not.toHaveProperty('top_a');
  });

  it('request probabilities with the field names of each API', () => {
    expect(readChat({ logprobs: true, top_logprobs: 2 }).message).toMatchObject({ logprobs: true, top_logprobs: 2 });
    expect(readResponse({ include: ['message.output_text.logprobs'] }).message).toMatchObject({ logprobs: true });
    expect(readResponse({}).message).not.toHaveProperty('logprobs');
    expect(refused(() => readChat({ top_logprobs: 2 })).metadata).toMatchObject({ field: 'top_logprobs' });
  });

  it('keep the name and the description of a schema', () => {
    const named = { name: 'Weather', description: 'The weather of a day.', schema: { type: 'array' } };
    const chatFormat = { type: 'json_schema', json_schema: { ...named, strict: true } };

    const format = { type: 'json_schema', ...named };
    expect(readChat({ response_format: chatFormat }).message.output_config?.format).toEqual(format);
    expect(readResponse({ text: { format: { ...format, strict: true } } }).message.output_config?.format).toEqual(
      format,
    );
  });

  it.each([
    undefined,
    null,
    {},
    { type: 'object' },
    { type: 'object', additionalProperties: true },
    // z.record(z.string(), z.unknown()) and z.looseObject({})
    { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
    { type: 'object', properties: {}, additionalProperties: {} },
  ])('request any JSON object with the open schema %j', (schema) => {
    const format = { type: 'json_schema', name: 'x', schema };
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    for (const { message } of [readChat({ response_format }), readResponse({ text: { format } })]) {
      expect(message.output_config?.format).toEqual({ type: 'json_object' });
      expect(JSON.stringify(message.system)).toContain('JSON object');
    }
  });

  it('add the type to a schema with properties', () => {
    const schema = { properties: { day: { type: 'string' } } };
    const format = { type: 'json_schema', name: 'x', schema };
    expect(readResponse({ text: { format } }).message.output_config?.format).toMatchObject({
      schema: { type: 'object', ...schema },
    });
  });
});

describe('a tool that the gateway cannot run', () => {
  const tools = [
    { type: 'image_generation' },
    { type: 'code_interpreter', container: { type: 'auto' } },
    { type: 'mcp', server_label: 'a' },
    { type: 'mcp', server_label: 'b' },
    { type: 'web_search', external_web_access: false },
    { type: 'of:another vendor' },
  ];
  const usable = [
    { type: 'function', name: 'look', parameters: { type: 'object' } },
    { type: 'web_search' },
    { type: 'tool_search', execution: 'client' },
  ];

  it('is reported by its type in Responses', () => {
    const names = ['image_generation', 'code_interpreter', 'mcp', 'web_search', 'other'];
    expect(readResponse({ tools: [...tools, ...usable] }).leftOut).toEqual(names.map((name) => `tools.${name}`));
    expect(readResponse({ tools: usable }).leftOut).toEqual([]);
  });

  it('is refused if the request requires all its parameters', () => {
    const insistent = { tools: [{ type: 'mcp' }], provider: { require_parameters: true } };
    expect(refused(() => readResponse(insistent)).metadata).toMatchObject({ field: 'tools.mcp' });
  });
});
