/**
 * Strict fakes refuse requests that their providers were reported to refuse. A fake that refuses nothing would make the
 * matrix worthless.
 */

import { describe, expect, it } from 'vitest';
import { anthropicFake, anthropicRules } from './anthropic.ts';
import { chatFakes, chatRules, gigachatFake } from './chat.ts';
import { converseFake, converseRules } from './converse.ts';
import { geminiFake, geminiRules, vertexGeminiFake } from './gemini.ts';
import { imitationRules, imitations } from './imitations.ts';
import { responsesFakes, responsesRules } from './responses.ts';
import type { StrictFake } from './rules.ts';

const headers = { 'anthropic-version': '2023-06-01' };
const refusals = (fake: StrictFake, model: string, body: object) =>
  fake.refusals({ path: '/', headers, body: JSON.stringify(body) }, model);

const hello = { model: 'm', max_tokens: 8_000, stream: true, messages: [{ role: 'user', content: 'Hi' }] };
const look = { name: 'look', input_schema: { type: 'object' } };
const adaptive = { thinking: { type: 'adaptive' } };
const budget = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] };
const reminder = { role: 'system', content: 'I' };
const said = (content: object[]) => ({ messages: [...hello.messages, { role: 'user', content }] });

describe('the strict fake of Anthropic', () => {
  it.each<[string, object]>([
    ['claude-haiku-4-5', budget],
    ['claude-opus-4-5', { ...budget, output_config: { effort: 'high' } }],
    ['claude-sonnet-4-6', { ...adaptive, output_config: { effort: 'max' } }],
    ['claude-opus-4-8', { ...adaptive, output_config: { effort: 'xhigh' } }],
    ['claude-sonnet-5-5', { thinking: { type: 'between_tools' }, output_config: { effort: 'high' } }],
    ['claude-fable-5', { tools: [look], tool_choice: { type: 'any' } }],
  ])('accepts for %s: %j', (model, more) => {
    expect(refusals(anthropicFake, model, { ...hello, ...more })).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['claude-haiku-4-5', adaptive, /thinking.type.adaptive/],
    ['claude-haiku-4-5', { output_config: { effort: 'low' } }, /effort/],
    ['claude-opus-4-8', budget, /thinking.type.enabled/],
    ['claude-sonnet-4-6', { ...adaptive, output_config: { effort: 'xhigh' } }, /effort/],
    ['claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort: 'max' } }, /effort/],
    ['claude-opus-5-5', { thinking: { type: 'disabled' } }, /thinking.type.disabled/],
    ['claude-sonnet-4-5', { ...budget, tools: [look], tool_choice: { type: 'any' } }, /tool_choice/],
    ['claude-fable-5-1', { tools: [look], tool_choice: { type: 'any' } }, /tool_choice/],
    ['claude-sonnet-4-5', { ...budget, temperature: 0.5 }, /temperature/],
    ['claude-sonnet-4-5', { temperature: 0.5, top_p: 0.5 }, /top_p/],
    ['claude-opus-4-8', { temperature: 1 }, /temperature/],
    ['claude-haiku-4-5', { max_tokens: 65_000 }, /max_tokens/],
    ['claude-haiku-4-5', { ...budget, max_tokens: 2_000 }, /budget_tokens/],
    ['claude-haiku-4-5', { stop_sequences: ['\n'] }, /stop_sequences/],
    ['claude-haiku-4-5', { seed: 1 }, /seed/],
    ['claude-haiku-4-5', said([{ type: 'text', text: ' ' }]), /non-whitespace/],
    ['claude-haiku-4-5', said([]), /non-empty/],
    ['claude-haiku-4-5', said([{ type: 'tool_result', tool_use_id: 'a', content: 'b' }]), /tool_use_id/],
    ['claude-haiku-4-5', { messages: [...hello.messages, call, hello.messages[0]] }, /tool_result/],
    ['claude-opus-4-8', { messages: [...hello.messages, { role: 'assistant', content: 'I' }] }, /prefill/],
    ['claude-haiku-4-5', { messages: [...hello.messages, reminder] }, /system/],
    ['claude-opus-5', { messages: [...hello.messages, reminder, ...hello.messages] }, /precede/],
    ['claude-opus-5', { messages: [reminder, ...hello.messages] }, /follow/],
    ['claude-opus-5', { messages: [...hello.messages, { ...reminder, clear_at: 'next_user_message' }] }, /clear-at/],
    ['claude-opus-5', { thinking: { type: 'adaptive', block_binding: {} } }, /binding/],
    ['claude-opus-5', { thinking: { type: 'adaptive', display: 'updates' } }, /updates/],
    ['claude-haiku-4-5', { tools: [{ ...look, name: 'a.b' }] }, /name/],
    ['claude-haiku-4-5', { tools: [look, look] }, /unique/],
    ['claude-haiku-4-5', { tools: [{ ...look, input_schema: {} }] }, /input_schema/],
    ['claude-haiku-4-5', { tools: [{ ...look, strict: true }] }, /additionalProperties/],
    [
      'claude-haiku-4-5',
      said(Array.from({ length: 5 }, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }))),
      /maximum of 4/,
    ],
    ['claude-haiku-4-5', said([{ type: 'text', text: 'a \ud83d' }]), /surrogate/],
  ])('refuses for %s: %j', (model, more, reason) => {
    expect(refusals(anthropicFake, model, { ...hello, ...more }).join()).toMatch(reason);
  });
});

const chatHello = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
const chatLook = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const circular = { type: 'object', properties: { inner: { $ref: '#' } } };
const responsesLook = { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false };
const required = { tools: [chatLook], tool_choice: 'required' };
const named = { tools: [chatLook], tool_choice: { type: 'function', function: { name: 'look' } } };
const chatCall = (id: string) => ({
  role: 'assistant',
  tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
});
const chatResult = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'a' });

const withTool = (parameters: object, name = 'look') => ({
  tools: [{ type: 'function', function: { name, parameters } }],
});
const withSchema = (properties: object) => ({
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'a',
      strict: true,
      schema: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    },
  },
});

describe('the strict fake of chat completions', () => {
  it.each(Object.keys(chatFakes))('at %s accepts a simple request', (provider) => {
    expect(refusals(chatFakes[provider]!, 'm', chatHello)).toEqual([]);
  });

  it.each<[string, string, object, RegExp]>([
    ['openai', 'gpt-4.1', { top_k: 5 }, /top_k/],
    ['openai', 'gpt-4.1', { stop: ['a', 'b', 'c', 'd', 'e'] }, /stop/],
    ['openai', 'o3-mini', { temperature: 0.5 }, /temperature/],
    ['openai', 'o3-mini', { reasoning_effort: 'max' }, /reasoning_effort/],
    ['openai', 'gpt-4.1', { tool_choice: 'auto' }, /tool_choice/],
    ['openai', 'gpt-4.1', { messages: [...chatHello.messages, chatCall('a')] }, /tool messages/],
    ['openai', 'gpt-4.1', { messages: [...chatHello.messages, chatResult('a')] }, /tool_calls/],
    ['openai', 'gpt-4.1', { messages: [{ role: 'user', content: ' ' }] }, /blank/],
    ['openai', 'gpt-4.1', { tools: [chatLook, chatLook] }, /repeat/],
    [
      'openai',
      'gpt-4.1',
      { tools: [{ type: 'function', function: { name: 'look', parameters: {} } }] },
      /type "object"/,
    ],
    ['deepseek', 'deepseek-v4-pro', { ...required, thinking: { type: 'enabled' } }, /tool_choice/],
    ['deepseek', 'deepseek-v4-pro', required, /tool_choice/],
    ['alibaba', 'qwen3.5-plus', { ...named, enable_thinking: true }, /tool_choice/],
    ['alibaba', 'qwen3.5-plus', required, /tool_choice/],
    ['moonshotai', 'kimi-k2.6', named, /tool_choice/],
    ['moonshotai', 'kimi-k2.6', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, /cannot specify both/],
    ['mistral', 'mistral-large-2512', { stream_options: { include_usage: true } }, /stream_options/],
    [
      'mistral',
      'mistral-large-2512',
      { messages: [...chatHello.messages, chatCall('toolu_1'), chatResult('toolu_1')] },
      /pattern/,
    ],
    ['openai', 'gpt-4.1', { top_logprobs: 2 }, /top_logprobs/],
    ['openai', 'gpt-4.1', { logprobs: true, top_logprobs: 21 }, /top_logprobs/],
    ['openai', 'gpt-4.1', { verbosity: 'low' }, /verbosity/],
    ['openai', 'gpt-4.1', { logit_bias: { 5: 101 } }, /logit_bias/],
    ['openai', 'gpt-4.1', { seed: 1.5 }, /seed/],
    ['openai', 'gpt-4.1', { min_p: 0.1 }, /min_p/],
    ['openai', 'o3-mini', { logprobs: true }, /logprobs/],
    ['openai', 'o3-mini', { logit_bias: { 5: 1 } }, /logit_bias/],
    ['openai', 'o3-mini', { tools: [chatLook], parallel_tool_calls: false }, /parallel_tool_calls/],
    ['alibaba', 'qwen3-32b', { enable_thinking: true, thinking_budget: 40_000 }, /thinking_budget/],
    ['alibaba', 'qwen-flash', { enable_thinking: true, thinking_budget: 81_921 }, /thinking_budget/],
    ['alibaba', 'qwen3.6-flash', { enable_thinking: true, thinking_budget: 131_073 }, /thinking_budget/],
    [
      'moonshotai',
      'kimi-k3',
      {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }],
      },
      /image url/,
    ],
    ['openrouter', 'openai/gpt-oss-20b', { reasoning: { enabled: false } }, /mandatory/],
    [
      'xai',
      'grok-4.20-0309-non-reasoning',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,UklGRg==' } }] },
        ],
      },
      /file types/,
    ],
    ['xai', 'grok-4.20-0309-non-reasoning', { presence_penalty: 1 }, /presencePenalty/],
    ['alibaba', 'qwen3.5-plus', { seed: 2 ** 31 }, /seed/],
    ['alibaba', 'qwen3.5-plus', { seed: -1 }, /seed/],
    ['alibaba', 'qwen3.5-plus', { frequency_penalty: 1 }, /frequency_penalty/],
    ['xai', 'grok-4.20-0309-non-reasoning', { seed: 2 ** 31 }, /seed/],
    ['mistral', 'mistral-large-2512', { seed: 1 }, /seed/],
    ['mistral', 'mistral-large-2512', { temperature: 0, top_p: 0.9 }, /top_p must be 1/],
    ['mistral', 'mistral-large-2512', { random_seed: -1 }, /random_seed/],
    ['groq', 'openai/gpt-oss-20b', { frequency_penalty: 1 }, /frequency_penalty/],
    ['groq', 'openai/gpt-oss-20b', { logprobs: true }, /logprobs/],
    ['cohere', 'command-a-03-2025', { presence_penalty: -1 }, /presence_penalty/],
    ['togetherai', 'openai/gpt-oss-20b', { logprobs: true }, /logprobs/],
    ['fireworks-ai', 'gpt-oss-20b', { logprobs: true, top_logprobs: 6 }, /top_logprobs/],
    ['fireworks-ai', 'gpt-oss-20b', { top_k: 101 }, /top_k/],
    [
      'fireworks-ai',
      'gpt-oss-20b',
      {
        tools: [chatLook],
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
      },
      /response format/,
    ],
    ['deepinfra', 'gpt-oss-20b', { logprobs: true, top_logprobs: 1 }, /top_logprobs/],
    ['vllm', 'gpt-oss-20b', { repetition_penalty: 0 }, /repetition_penalty/],
    ['deepseek', 'deepseek-v4-pro', { logprobs: true }, /logprobs/],
    ['zai', 'glm-5.3', { ...required }, /tool_choice/],
    [
      'vllm',
      'Qwen/Qwen3.5-27B',
      { messages: [...chatHello.messages, { role: 'system', content: 'Be brief.' }] },
      /at the beginning/,
    ],
    [
      'moonshotai',
      'kimi-k2.6',
      { tools: [{ type: 'function', function: { name: 'look', parameters: circular } }] },
      /circular/,
    ],
    [
      'cerebras',
      'gpt-oss-120b',
      {
        tools: [chatLook],
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
      },
      /incompatible/,
    ],
    ['yandex', 'gpt://x/yandexgpt', { temperature: 1.5 }, /temperature/],
    ['openai', 'gpt-4.1', withSchema({ link: { type: 'string', format: 'uri' } }), /uri/],
    ['openai', 'gpt-4.1', withSchema({ a: { $ref: '#/$defs/A', title: 'A' } }), /\$ref/],
    ['openai', 'gpt-4.1', withSchema({ a: {} }), /type/],
    ['openai', 'gpt-4.1', withTool({ type: 'object', $id: 'Parameters Schema' }), /uri-reference/],
    ['fireworks-ai', 'glm-5p3', withTool({ type: 'object', properties: { a: { title: 'A' } } }), /instance/],
    ['moonshotai', 'kimi-k3', withTool({ type: 'object', properties: { a: { $ref: '#/properties/b' } } }), /\$defs/],
    ['moonshotai', 'kimi-k3', withTool({ type: 'object' }, '21st_look'), /begin with a letter|start with a letter/],
  ])('at %s, for %s, refuses %j', (provider, model, more, reason) => {
    expect(refusals(chatFakes[provider]!, model, { ...chatHello, ...more }).join()).toMatch(reason);
  });

  it('at GigaChat refuses a system message in the middle of the conversation', () => {
    const messages = [...chatHello.messages, { role: 'system', content: 'Be brief.' }];
    expect(refusals(gigachatFake, 'GigaChat-2', { ...chatHello, messages })).toHaveLength(1);
  });
});

describe('strict fakes of other wires', () => {
  const answered = { model: 'm', stream: true, store: false };
  const inputOf = (...input: object[]) => ({
    ...answered,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }, ...input],
  });
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const thinkingConfig = (config: object) => ({ contents, generationConfig: { thinkingConfig: config } });
  const messages = [{ role: 'user', content: [{ text: 'Hi' }] }];

  it.each<[string, RegExp, StrictFake, string, object]>([
    [
      'DeepSeek’s Messages API',
      /adaptive/,
      imitations['deepseek-anthropic']!,
      'deepseek-v4-pro',
      { ...hello, ...adaptive },
    ],
    ['OpenAI', /effort/, responsesFakes['openai']!, 'gpt-5.1', { ...inputOf(), reasoning: { effort: 'xhigh' } }],
    ['OpenAI', /temperature/, responsesFakes['openai']!, 'gpt-5.1', { ...inputOf(), temperature: 1 }],
    ['OpenAI', /max_output_tokens/, responsesFakes['openai']!, 'gpt-5.1', { ...inputOf(), max_output_tokens: 5 }],
    [
      'OpenAI',
      /No tool call/,
      responsesFakes['openai']!,
      'gpt-5.1',
      inputOf({ type: 'function_call_output', call_id: 'a', output: 'b' }),
    ],
    [
      'Azure',
      /verified|following/,
      responsesFakes['azure']!,
      'gpt-5.1',
      inputOf({ type: 'reasoning', encrypted_content: 'other', summary: [] }),
    ],
    ['OpenAI', /logprobs/, responsesFakes['openai']!, 'gpt-5.1', { ...inputOf(), top_logprobs: 2 }],
    [
      'OpenAI',
      /logprobs/,
      responsesFakes['openai']!,
      'gpt-5.1',
      { ...inputOf(), include: ['message.output_text.logprobs'] },
    ],
    ['OpenAI', /verbosity/, responsesFakes['openai']!, 'o3', { ...inputOf(), text: { verbosity: 'low' } }],
    ['OpenAI', /verbosity/, responsesFakes['openai']!, 'gpt-5-pro', { ...inputOf(), text: { verbosity: 'high' } }],
    ['OpenAI', /effort/, responsesFakes['openai']!, 'gpt-5.3-codex', { ...inputOf(), reasoning: { effort: 'none' } }],
    ['OpenAI', /summary/, responsesFakes['openai']!, 'o1-pro', { ...inputOf(), reasoning: { summary: 'auto' } }],
    ['Meta', /max_output_tokens/, responsesFakes['meta']!, 'muse-spark-1.3', { ...inputOf(), max_output_tokens: 5 }],
    [
      'Meta',
      /tool_choice/,
      responsesFakes['meta']!,
      'muse-spark-1.3',
      { ...inputOf(), tools: [responsesLook], tool_choice: 'none' },
    ],
    [
      'Meta',
      /Recursive/,
      responsesFakes['meta']!,
      'muse-spark-1.3',
      { ...inputOf(), tools: [{ ...responsesLook, parameters: circular }] },
    ],
    ['xAI', /unknown/, responsesFakes['xai']!, 'grok-4.5', { ...inputOf(), text: { verbosity: 'low' } }],
    ['xAI', /effort/, responsesFakes['xai']!, 'grok-4.5', { ...inputOf(), reasoning: { effort: 'xhigh' } }],
    ['Gemini', /seed/, geminiFake, 'gemini-2.5-pro', { contents, generationConfig: { seed: 2 ** 31 } }],
    ['Gemini', /Logprobs/, geminiFake, 'gemini-2.5-pro', { contents, generationConfig: { responseLogprobs: true } }],
    ['Gemini', /Penalty/, geminiFake, 'gemini-2.5-pro', { contents, generationConfig: { frequencyPenalty: 1 } }],
    ['Gemini', /store/, geminiFake, 'gemini-2.5-pro', { contents }],
    ['Vertex AI', /store/, vertexGeminiFake, 'gemini-2.5-pro', { contents, store: false }],
    ['Vertex AI', /logprobs/, vertexGeminiFake, 'gemini-2.5-pro', { contents, generationConfig: { logprobs: 2 } }],
    [
      'Vertex AI',
      /Log/,
      vertexGeminiFake,
      'gemini-3.5-flash',
      { contents, generationConfig: { responseLogprobs: true } },
    ],
    [
      'Gemini',
      /enum/,
      geminiFake,
      'gemini-2.5-pro',
      {
        contents,
        tools: [
          {
            functionDeclarations: [
              {
                name: 'look',
                parametersJsonSchema: { type: 'object', properties: { a: { type: 'string', enum: [''] } } },
              },
            ],
          },
        ],
      },
    ],
    [
      'OpenAI',
      /parallel_tool_calls/,
      responsesFakes['openai']!,
      'o4-mini',
      { ...inputOf(), tools: [responsesLook], parallel_tool_calls: false },
    ],
    [
      'Gemini',
      /immediately after a user turn/,
      geminiFake,
      'gemini-2.5-pro',
      { contents: [{ role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] }] },
    ],
    [
      'Gemini 3.6',
      /ending with a model turn/,
      geminiFake,
      'gemini-3.6-flash',
      { contents: [...contents, { role: 'model', parts: [{ text: 'The' }] }] },
    ],
    ['Gemini 2.5', /budget/, geminiFake, 'gemini-2.5-pro', thinkingConfig({ thinkingBudget: 0 })],
    ['Gemini 3', /level/, geminiFake, 'gemini-3.8-flash', thinkingConfig({ thinkingLevel: 'minimal' })],
    [
      'Gemini',
      /stopSequences/,
      geminiFake,
      'gemini-2.5-pro',
      { contents, generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] } },
    ],
    [
      'Vertex AI',
      /contents/,
      vertexGeminiFake,
      'gemini-2.5-pro',
      { contents: [...contents, { role: 'model', parts: [{ functionCall: { id: 'a', name: 'look', args: {} } }] }] },
    ],
    [
      'Converse',
      /blank/,
      converseFake,
      'amazon.nova-lite-v1:0',
      { messages: [{ role: 'user', content: [{ text: ' ' }] }] },
    ],
    [
      'Converse',
      /temperature/,
      converseFake,
      'amazon.nova-lite-v1:0',
      { messages, inferenceConfig: { temperature: 1.5 } },
    ],
    [
      'Converse',
      /DocumentSource/,
      converseFake,
      'amazon.nova-lite-v1:0',
      {
        messages: [
          {
            role: 'user',
            content: [{ document: { format: 'txt', name: 'a', source: { text: 'b' } } }, { text: 'Hi' }],
          },
        ],
      },
    ],
    [
      'Converse',
      /toolChoice.any/,
      converseFake,
      'us.meta.llama3-3-70b-instruct-v1:0',
      {
        messages,
        toolConfig: {
          tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }],
          toolChoice: { any: {} },
        },
      },
    ],
    [
      'Nova',
      /extraneous key/,
      converseFake,
      'amazon.nova-lite-v1:0',
      {
        messages,
        toolConfig: { tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object', $defs: {} } } } }] },
      },
    ],
    [
      'Llama',
      /same turn/,
      converseFake,
      'us.meta.llama3-3-70b-instruct-v1:0',
      {
        messages: [
          ...messages,
          {
            role: 'assistant',
            content: [{ text: 'I look.' }, { toolUse: { toolUseId: 'a', name: 'look', input: {} } }],
          },
          { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'b' }] } }] },
        ],
        toolConfig: { tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }] },
      },
    ],
    [
      'Converse',
      /cachePoint/,
      converseFake,
      'zai.glm-5.3',
      { messages, system: [{ text: 'a' }, { cachePoint: { type: 'default' } }] },
    ],
  ])('refuse an unsupported feature at %s: %s', (_, reason, fake, model, body) => {
    expect(refusals(fake, model, body).join()).toMatch(reason);
  });
});

it('every rule of the strict fakes for messages names its source', () => {
  const rules = [anthropicRules, imitationRules, chatRules, responsesRules, geminiRules, converseRules].flat();
  expect(rules.filter(({ source }) => !/^https:\/\/\S+$/.test(source))).toEqual([]);
});
