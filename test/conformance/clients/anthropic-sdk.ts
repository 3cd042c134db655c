/** Tests the present Anthropic SDK and an older version that other clients include. */

import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import OldAnthropic from 'anthropic-sdk-0x';
import { said } from '../../support/gateway.ts';
import {
  answerSchema,
  assertCited,
  clockSchema,
  LONG_ANSWER,
  MAX_SEARCHES,
  MAX_TOKENS,
  pdf,
  PDF_TOKENS,
  pixel,
  searched,
  structuredAnswer,
  THINKING_BUDGET,
  weatherSchema,
  type Client,
  type Subject,
} from './client.ts';

type Connect = (subject: Subject) => Anthropic;

const options = ({ gateway }: Subject) => ({ baseURL: gateway.anthropicUrl, apiKey: gateway.key, maxRetries: 0 });

export const anthropicSdks: Client[] = [
  clientOf('Anthropic SDK 1.x', (subject) => new Anthropic(options(subject))),
  clientOf('Anthropic SDK 0.x', (subject) => new OldAnthropic(options(subject)) as unknown as Anthropic),
];

const tools: Anthropic.Tool[] = [
  { name: 'get_weather', description: 'Weather of a city', input_schema: weatherSchema },
  { name: 'get_time', input_schema: clockSchema },
];

function clientOf(name: string, connect: Connect): Client {
  return {
    name,
    api: 'messages',
    uses: {
      text: async (subject) => {
        const message = await connect(subject).messages.create(ask(subject, 'Hello'));
        assert.match(textOf(message), /Hello/);
        assert.equal(message.stop_reason, 'end_turn');
        assert.ok(message.usage.output_tokens > 5);
      },
      stream: async (subject) => {
        const stream = connect(subject).messages.stream(ask(subject, 'Привет, мир!'));
        let streamed = '';
        stream.on('text', (text) => (streamed += text));
        assert.equal(textOf(await stream.finalMessage()), streamed);
        assert.match(streamed, /Привет, мир!/);
      },
      'tool loop': (subject) => runTools(connect(subject), ask(subject, 'Weather?', 'tools=2'), 2),
      'thinking in a tool loop': async (subject) => {
        const thinking = { type: 'enabled', budget_tokens: THINKING_BUDGET } as const;
        await runTools(connect(subject), { ...ask(subject, 'Weather?', 'think tool'), thinking }, 1, 'thinking');
      },
      image: async (subject) => {
        const source = { type: 'base64', media_type: 'image/png', data: pixel } as const;
        const message = await connect(subject).messages.create(askAbout(subject, { type: 'image', source }));
        assert.match(textOf(message), /1 image/);
      },
      document: async (subject) => {
        const source = { type: 'base64', media_type: 'application/pdf', data: pdf } as const;
        const message = await connect(subject).messages.create(askAbout(subject, { type: 'document', source }));
        assert.ok(message.usage.input_tokens >= PDF_TOKENS);
      },
      'structured output': async (subject) => {
        const output_config = { format: { type: 'json_schema', schema: answerSchema } } as const;
        const message = await connect(subject).messages.create({ ...ask(subject, 'Weather?'), output_config });
        assert.deepEqual(JSON.parse(textOf(message)), structuredAnswer);
      },
      'web search': (subject) => search(connect(subject), subject),
      error: async (subject) => {
        const client = connect(subject);
        await assert.rejects(client.messages.create(ask(subject, 'x', 'error=529')), {
          status: 529,
          type: 'overloaded_error',
        });
        const stream = client.messages.stream(ask(subject, 'x', 'fail'));
        await assert.rejects(stream.finalMessage(), { type: 'overloaded_error' });
      },
      cancel: async (subject) => {
        const request = { ...ask(subject, 'Long', LONG_ANSWER), stream: true } as const;
        for await (const { type } of await connect(subject).messages.create(request)) {
          if (type === 'content_block_delta') break;
        }
      },
    },
  };
}

function ask({ model }: Subject, words: string, directives = ''): Anthropic.MessageCreateParamsNonStreaming {
  return { model, max_tokens: MAX_TOKENS, messages: [said(words, `${directives} delay=0`)] };
}

function askAbout(subject: Subject, block: Anthropic.ContentBlockParam): Anthropic.MessageCreateParamsNonStreaming {
  const question = { type: 'text', text: 'What is it?\n@sandbox delay=0' } as const;
  return { ...ask(subject, ''), messages: [{ role: 'user', content: [block, question] }] };
}

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Requests a search, checks its results and citations, and sends all of it back in another turn. */
async function search(client: Anthropic, subject: Subject): Promise<void> {
  const webSearch = { type: 'web_search_20250305', name: 'web_search', max_uses: MAX_SEARCHES } as const;
  const question = { ...ask(subject, searched.question), tools: [webSearch] };
  const first = await client.messages.stream(question).finalMessage();
  const { content, stop_reason, usage } = first;

  const call = content.find((block) => block.type === 'server_tool_use');
  const found = content.find((block) => block.type === 'web_search_tool_result');
  const results = Array.isArray(found?.content) ? found.content : [];
  const citations = content.flatMap((block) => (block.type === 'text' ? (block.citations ?? []) : []));
  assert.equal(stop_reason, 'end_turn');
  assert.deepEqual([call?.name, call?.input], ['web_search', { query: searched.question }]);
  assert.equal(found?.tool_use_id, call?.id);
  assert.ok(results.every(({ title, encrypted_content: sealed }) => title !== '' && sealed !== ''));
  assertCited(
    textOf(first),
    citations.filter((citation) => citation.type === 'web_search_result_location'),
    results.map(({ url }) => url),
  );
  assert.equal(usage.server_tool_use?.web_search_requests, 1);

  const next = said(searched.next, `${searched.nextDirectives} delay=0`);
  const messages = [...question.messages, { role: 'assistant' as const, content }, next];
  const second = await client.messages.create({ ...question, messages });
  assert.match(textOf(second), /And now\?/);
}

/**
 * Requests tool calls, sends their results, and checks the final answer.
 * @param before type of block before the calls
 */
async function runTools(
  client: Anthropic,
  question: Anthropic.MessageCreateParamsNonStreaming,
  expectedCalls: number,
  before: 'text' | 'thinking' = 'text',
): Promise<void> {
  const first = await client.messages.stream({ ...question, tools }).finalMessage();
  assert.equal(first.stop_reason, 'tool_use');
  assert.equal(first.content[0]?.type, before);
  const calls = first.content.filter((block) => block.type === 'tool_use');
  assert.deepEqual(
    calls.map(({ input }) => input),
    [{ city: 'Москва' }, {}].slice(0, expectedCalls),
  );
  const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sunny' }));
  const second = await client.messages.create({
    ...question,
    tools,
    messages: [...question.messages, { role: 'assistant', content: first.content }, { role: 'user', content: results }],
  });
  assert.match(textOf(second), /tool has answered/);
}
