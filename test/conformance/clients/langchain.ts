/**
 * Tests LangChain's client for Anthropic. It ignores unexpected events of streams, and adds up the usage in all events.
 */

import assert from 'node:assert/strict';
import { ChatAnthropic, type ChatAnthropicInput } from '@langchain/anthropic';
import {
  HumanMessage,
  ToolMessage,
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
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

const tools = [
  { name: 'get_weather', description: 'Weather of a city', input_schema: weatherSchema },
  { name: 'get_time', input_schema: clockSchema },
];

function connect({ gateway, model }: Subject, more: Partial<ChatAnthropicInput> = {}): ChatAnthropic {
  const own = {
    model,
    maxTokens: MAX_TOKENS,
    maxRetries: 0,
    apiKey: gateway.key,
    anthropicApiUrl: gateway.anthropicUrl,
  };
  return new ChatAnthropic({ ...own, ...more });
}

const asks = (words: string, directives = '') => [new HumanMessage(`${words}\n@sandbox ${directives} delay=0`)];

function asksAbout(block: { type: 'image' | 'document'; source: object }) {
  const question = { type: 'text' as const, text: 'What is it?\n@sandbox delay=0' };
  return [new HumanMessage({ content: [block, question] })];
}

export const langchain: Client = {
  name: 'LangChain, @langchain/anthropic',
  api: 'messages',
  uses: {
    text: async (subject) => {
      const message = await connect(subject).invoke(asks('Hello'));
      assert.match(message.text, /Hello/);
      assert.ok(langchainUsage(message).output_tokens > 5);
    },
    stream: async (subject) => {
      const message = await collectChunks(await connect(subject).stream(asks('Привет, мир!')));
      assert.match(message.text, /Привет, мир!/);
      assert.ok(langchainUsage(message).output_tokens > 5);
    },
    'tool loop': async (subject) => {
      await runTools(connect(subject), asks('Weather?', 'tools=2'), 2);
    },
    'thinking in a tool loop': async (subject) => {
      const thinking = { type: 'enabled', budget_tokens: THINKING_BUDGET } as const;
      const first = await runTools(connect(subject, { thinking }), asks('Weather?', 'think tool'), 1);
      assert.equal((first.content as { type: string }[])[0]?.type, 'thinking');
    },
    image: async (subject) => {
      const source = { type: 'base64', media_type: 'image/png', data: pixel };
      const message = await connect(subject).invoke(asksAbout({ type: 'image', source }));
      assert.match(message.text, /1 image/);
    },
    document: async (subject) => {
      const source = { type: 'base64', media_type: 'application/pdf', data: pdf };
      const message = await connect(subject).invoke(asksAbout({ type: 'document', source }));
      assert.ok(langchainUsage(message).input_tokens >= PDF_TOKENS);
    },
    'structured output': async (subject) => {
      const structured = connect(subject).withStructuredOutput(answerSchema, { method: 'jsonSchema' });
      assert.deepEqual(await structured.invoke(asks('Weather?')), structuredAnswer);
    },
    'web search': search,
    error: async (subject) => {
      await assert.rejects(connect(subject).invoke(asks('x', 'error=529')), { status: 529 });
      const failing = connect(subject).stream(asks('x', 'fail')).then(collectChunks);
      await assert.rejects(failing, /Overloaded/);
    },
    cancel: async (subject) => {
      for await (const chunk of await connect(subject).stream(asks('Long', LONG_ANSWER))) if (chunk.text !== '') break;
    },
  },
};

/** Returns the usage of a message. Its type depends on the structure of the message, which is not known here. */
export function langchainUsage(message: { usage_metadata?: unknown }): UsageMetadata {
  return message.usage_metadata as UsageMetadata;
}

export async function collectChunks(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let message: AIMessageChunk | undefined;
  for await (const chunk of stream) message = message ? message.concat(chunk) : chunk;
  return message!;
}

interface SearchBlock {
  type: string;
  id?: string;
  tool_use_id?: string;
  input?: string;
  content?: { url: string; encrypted_content: string }[];
  citations?: { type: string; url: string; cited_text: string }[];
}

/** Requests a search, checks its results and citations, and sends all of it back in another turn. */
async function search(subject: Subject): Promise<void> {
  const webSearch = { type: 'web_search_20250305', name: 'web_search', max_uses: MAX_SEARCHES };
  const model = connect(subject).bindTools([webSearch]);
  const question = asks(searched.question);
  const first = await collectChunks(await model.stream(question));

  const content = first.content as SearchBlock[];
  const call = content.find(({ type }) => type === 'server_tool_use');
  const found = content.find(({ type }) => type === 'web_search_tool_result');
  // LangChain keeps the streamed input of a call in a separate block.
  const input = content.find(({ type }) => type === 'input_json_delta')?.input;
  assert.deepEqual(JSON.parse(String(input)), { query: searched.question });
  assert.equal(found?.tool_use_id, call?.id);
  assertCited(
    first.text,
    content.flatMap(({ citations }) => citations ?? []),
    (found?.content ?? []).map(({ url }) => url),
  );

  const second = await model.invoke([...question, first, ...asks(searched.next, searched.nextDirectives)]);
  assert.match(second.text, /And now\?/);
}

/** Requests tool calls, sends their results, checks the final answer, and returns the message with the calls. */
async function runTools(model: ChatAnthropic, question: BaseMessage[], expectedCalls: number): Promise<AIMessage> {
  const withTools = model.bindTools(tools);
  const first = await collectChunks(await withTools.stream(question));
  const calls = first.tool_calls ?? [];
  assert.deepEqual(
    calls.map(({ args }) => args),
    [{ city: 'Москва' }, {}].slice(0, expectedCalls),
  );
  const results = calls.map(({ id }) => new ToolMessage({ tool_call_id: id!, content: 'sunny' }));
  const second = await withTools.invoke([...question, first, ...results]);
  assert.match(second.text, /tool has answered/);
  return first;
}
