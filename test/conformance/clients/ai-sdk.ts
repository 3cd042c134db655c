/** The AI SDK: it checks every event and body against a schema. */

import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
  type ProviderMetadata,
} from 'ai';
import {
  answerSchema,
  assertCited,
  clockSchema,
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

const tools = {
  get_weather: tool({
    description: 'Weather of a city',
    inputSchema: jsonSchema<{ city: string }>(weatherSchema),
    execute: ({ city }) => Promise.resolve(`Sunny in ${city}`),
  }),
  get_time: tool({ inputSchema: jsonSchema<object>(clockSchema), execute: () => 'noon' }),
};
const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: THINKING_BUDGET } } } as const;
const nativeFormat = { anthropic: { structuredOutputMode: 'outputFormat' } } as const;

function ask({ gateway, model }: Subject, words: string, directives = '') {
  return {
    model: createAnthropic({ baseURL: gateway.baseUrl, apiKey: gateway.key })(model),
    maxOutputTokens: MAX_TOKENS,
    maxRetries: 0,
    messages: [{ role: 'user' as const, content: `${words}\n@sandbox delay=0 ${directives}` }],
  };
}

function askAbout(subject: Subject, mediaType: string, data: string) {
  const question = { type: 'text' as const, text: 'What is it?\n@sandbox delay=0' };
  const file = { type: 'file' as const, mediaType, data };
  return { ...ask(subject, ''), messages: [{ role: 'user' as const, content: [file, question] }] };
}

export const aiSdk: Client = {
  name: 'AI SDK',
  uses: {
    text: async (subject) => {
      const { text, usage, finishReason } = await generateText(ask(subject, 'Hello'));
      assert.match(text, /Hello/);
      assert.equal(finishReason, 'stop');
      assert.ok(usage.outputTokens! > 5);
    },
    stream: async (subject) => {
      const result = streamText(ask(subject, 'Привет, мир!'));
      assert.match(await collect(result.fullStream), /Привет, мир!/);
    },
    'tool loop': async (subject) => {
      const result = streamText({ ...ask(subject, 'Weather?', 'tools=2'), tools, stopWhen: isStepCount(3) });
      assert.match(await collect(result.fullStream), /tool has answered/);
      const [first] = await result.steps;
      const outputs = first!.toolResults.map(({ output }) => output);
      assert.deepEqual(outputs, ['Sunny in Москва', 'noon']);
    },
    'thinking in a tool loop': async (subject) => {
      const question = ask(subject, 'Weather?', 'think tool');
      const result = streamText({ ...question, tools, stopWhen: isStepCount(3), providerOptions: thinking });
      assert.match(await collect(result.fullStream), /tool has answered/);
      const [first] = await result.steps;
      assert.match(first!.reasoningText ?? '', /sandbox/);
      assert.equal(first!.toolCalls.length, 1);
    },
    image: async (subject) => {
      const { text } = await generateText(askAbout(subject, 'image/png', pixel));
      assert.match(text, /1 image/);
    },
    document: async (subject) => {
      const { usage } = await generateText(askAbout(subject, 'application/pdf', pdf));
      assert.ok(usage.inputTokens! >= PDF_TOKENS);
    },
    'structured output': async (subject) => {
      const output = Output.object({ schema: jsonSchema(answerSchema) });
      const result = await generateText({ ...ask(subject, 'Weather?'), output, providerOptions: nativeFormat });
      assert.deepEqual(result.output, structuredAnswer);
    },
    'web search': search,
    error: async (subject) => {
      const refused = generateText(ask(subject, 'x', 'error=529'));
      await assert.rejects(
        refused,
        (error) => APICallError.isInstance(error) && error.statusCode === 529 && error.isRetryable,
      );
      const failing = streamText({ ...ask(subject, 'x', 'fail'), onError: () => {} });
      await assert.rejects(collect(failing.fullStream), /Overloaded/);
    },
  },
};

/** A search, what it found, an answer that cites it, and another turn with all of that before it. */
async function search(subject: Subject): Promise<void> {
  const { gateway } = subject;
  const { tools: own } = createAnthropic({ baseURL: gateway.baseUrl, apiKey: gateway.key });
  const webSearch = { web_search: own.webSearch_20250305({ maxUses: MAX_SEARCHES }) };
  const question = ask(subject, searched.question);
  const result = streamText({ ...question, tools: webSearch });
  const text = await collect(result.fullStream);

  const [call] = await result.toolCalls;
  const [found] = await result.toolResults;
  const texts = (await result.content).filter((part) => part.type === 'text');
  const citations = texts.flatMap(({ providerMetadata }) => providerMetadata?.['anthropic']?.['citations'] ?? []);
  const results = found?.output as { url: string; encryptedContent: string }[];
  assert.deepEqual([call?.toolName, call?.input], ['web_search', { query: searched.question }]);
  assert.equal(call?.providerExecuted, true);
  assert.equal(found?.toolCallId, call?.toolCallId);
  assert.ok(results.every(({ encryptedContent: sealed }) => sealed !== ''));
  // Its sources are what was found.
  assert.deepEqual(
    (await result.sources).map((source) => (source.sourceType === 'url' ? source.url : undefined)),
    results.map(({ url }) => url),
  );
  assertCited(
    text,
    citations as unknown as Parameters<typeof assertCited>[1],
    results.map(({ url }) => url),
  );
  assert.equal(await searchesOf(result.providerMetadata), 1);

  const next = ask(subject, searched.next, searched.nextDirectives);
  const messages = [...question.messages, ...(await result.response).messages, ...next.messages];
  const second = await generateText({ ...next, tools: webSearch, messages });
  assert.match(second.text, /And now\?/);
}

/** It has no type for that. */
async function searchesOf(metadata: PromiseLike<ProviderMetadata | undefined>): Promise<unknown> {
  const usage = (await metadata)?.['anthropic']?.['usage'] as { server_tool_use?: { web_search_requests: number } };
  return usage.server_tool_use?.web_search_requests;
}

/** @throws the first error in it. */
async function collect(parts: AsyncIterable<{ type: string; text?: string; error?: unknown }>): Promise<string> {
  let text = '';
  for await (const part of parts) {
    if (part.type === 'error') throw new Error(JSON.stringify(part.error));
    if (part.type === 'text-delta') text += part.text;
  }
  return text;
}
