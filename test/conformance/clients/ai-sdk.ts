/** Tests the AI SDK, which checks events and bodies against a schema, with each API. */

import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
  type LanguageModel,
  type ProviderMetadata,
  type ToolSet,
} from 'ai';
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

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;

interface Provider {
  name: string;
  api: Client['api'];
  modelOf: (subject: Subject) => Exclude<LanguageModel, string>;
  always?: ProviderOptions;
  thinking: ProviderOptions;
  structured?: ProviderOptions;
  /** Parts of an answer that the package reads in addition to text and calls. */
  reads: { thinking: boolean; sources: boolean };
  /** Options of a request with a search; undefined if the package has a separate test of searches. */
  searching?: (subject: Subject) => {
    model?: ReturnType<Provider['modelOf']>;
    tools?: ToolSet;
    providerOptions?: ProviderOptions;
  };
}

const tools = {
  get_weather: tool({
    description: 'Weather of a city',
    inputSchema: jsonSchema<{ city: string }>(weatherSchema),
    execute: ({ city }) => Promise.resolve(`Sunny in ${city}`),
  }),
  get_time: tool({ inputSchema: jsonSchema<object>(clockSchema), execute: () => 'noon' }),
};

const addressOf = ({ gateway }: Subject) => ({ baseURL: gateway.baseUrl, apiKey: gateway.key });

const anthropic: Provider = {
  name: 'AI SDK, @ai-sdk/anthropic',
  api: 'messages',
  modelOf: (subject) => createAnthropic(addressOf(subject))(subject.model),
  thinking: { anthropic: { thinking: { type: 'enabled', budgetTokens: THINKING_BUDGET } } },
  structured: { anthropic: { structuredOutputMode: 'outputFormat' } },
  reads: { thinking: true, sources: true },
};

const openAiChat: Provider = {
  name: 'AI SDK, @ai-sdk/openai',
  api: 'chat completions',
  modelOf: (subject) => createOpenAI(addressOf(subject)).chat(subject.model),
  // The package decides by the model's name whether the model thinks, so the option `forceReasoning` is set.
  thinking: { openai: { reasoningEffort: 'low', forceReasoning: true } },
  reads: { thinking: false, sources: true },
  searching: (subject) => ({ model: createOpenAI({ ...addressOf(subject), fetch: withSearch }).chat(subject.model) }),
};

const openAiResponses: Provider = {
  name: 'AI SDK, @ai-sdk/openai',
  api: 'responses',
  modelOf: (subject) => createOpenAI(addressOf(subject))(subject.model),
  // With storage, the next turn would refer to an answer that the gateway does not store.
  always: { openai: { store: false } },
  thinking: { openai: { store: false, reasoningEffort: 'low', reasoningSummary: 'auto', forceReasoning: true } },
  reads: { thinking: true, sources: true },
  searching: (subject) => ({ tools: { web_search: createOpenAI(addressOf(subject)).tools.webSearch({}) } }),
};

const compatible: Provider = {
  name: 'AI SDK, @ai-sdk/openai-compatible',
  api: 'chat completions',
  modelOf: (subject) =>
    createOpenAICompatible({ ...addressOf(subject), name: 'gateway', supportsStructuredOutputs: true })(subject.model),
  thinking: { gateway: { reasoningEffort: 'low' } },
  reads: { thinking: true, sources: false },
  searching: () => ({ providerOptions: { gateway: { web_search_options: {} } } }),
};

const openRouter: Provider = {
  name: 'AI SDK, @openrouter/ai-sdk-provider',
  api: 'chat completions',
  modelOf: (subject) => createOpenRouter(addressOf(subject))(subject.model),
  thinking: { openrouter: { reasoning: { effort: 'low' } } },
  reads: { thinking: true, sources: true },
  searching: (subject) => ({
    model: createOpenRouter(addressOf(subject))(subject.model, { plugins: [{ id: 'web' }] }),
  }),
};

function ask({ modelOf, always = {} }: Provider, subject: Subject, words: string, directives = '') {
  return {
    model: modelOf(subject),
    maxOutputTokens: MAX_TOKENS,
    maxRetries: 0,
    providerOptions: always,
    messages: [{ role: 'user' as const, content: `${words}\n@sandbox ${directives} delay=0` }],
  };
}

function askAbout(provider: Provider, subject: Subject, mediaType: string, data: string) {
  const question = { type: 'text' as const, text: 'What is it?\n@sandbox delay=0' };
  const file = { type: 'file' as const, mediaType, data, filename: 'a' };
  return { ...ask(provider, subject, ''), messages: [{ role: 'user' as const, content: [file, question] }] };
}

function clientOf(provider: Provider): Client {
  const asked = (subject: Subject, words: string, directives = '') => ask(provider, subject, words, directives);
  return {
    name: provider.name,
    api: provider.api,
    uses: {
      text: async (subject) => {
        const { text, usage, finishReason } = await generateText(asked(subject, 'Hello'));
        assert.match(text, /Hello/);
        assert.equal(finishReason, 'stop');
        assert.ok(usage.outputTokens! > 5);
      },
      stream: async (subject) => {
        const result = streamText(asked(subject, 'Привет, мир!'));
        assert.match(await collect(result.fullStream), /Привет, мир!/);
      },
      'tool loop': async (subject) => {
        const result = streamText({ ...asked(subject, 'Weather?', 'tools=2'), tools, stopWhen: isStepCount(3) });
        assert.match(await collect(result.fullStream), /tool has answered/);
        const [first] = await result.steps;
        const outputs = first!.toolResults.map(({ output }) => output);
        assert.deepEqual(outputs, ['Sunny in Москва', 'noon']);
      },
      'thinking in a tool loop': async (subject) => {
        const question = asked(subject, 'Weather?', 'think tool');
        const result = streamText({ ...question, tools, stopWhen: isStepCount(3), providerOptions: provider.thinking });
        assert.match(await collect(result.fullStream), /tool has answered/);
        const [first] = await result.steps;
        if (provider.reads.thinking) assert.match(first!.reasoningText ?? '', /sandbox/);
        assert.equal(first!.toolCalls.length, 1);
      },
      image: async (subject) => {
        const { text } = await generateText(askAbout(provider, subject, 'image/png', pixel));
        assert.match(text, /1 image/);
      },
      document: async (subject) => {
        const { usage } = await generateText(askAbout(provider, subject, 'application/pdf', pdf));
        assert.ok(usage.inputTokens! >= PDF_TOKENS);
      },
      'structured output': async (subject) => {
        const output = Output.object({ schema: jsonSchema(answerSchema) });
        const result = await generateText({
          ...asked(subject, 'Weather?'),
          output,
          ...(provider.structured ? { providerOptions: provider.structured } : {}),
        });
        assert.deepEqual(result.output, structuredAnswer);
      },
      'web search': (subject) => (provider.searching ? searchWith(provider, subject) : search(subject)),
      error: async (subject) => {
        const refused = generateText(asked(subject, 'x', 'error=529'));
        await assert.rejects(
          refused,
          (error) => APICallError.isInstance(error) && error.statusCode === 529 && error.isRetryable,
        );
        const failing = streamText({ ...asked(subject, 'x', 'fail'), onError: () => {} });
        await assert.rejects(collect(failing.fullStream), /Overloaded/);
      },
      cancel: async (subject) => {
        const stop = new AbortController();
        const result = streamText({ ...asked(subject, 'Long', LONG_ANSWER), abortSignal: stop.signal });
        // Without a handler, a rejected promise of the aborted result would end the process.
        for (const promised of [result.usage, result.totalUsage, result.finishReason, result.steps, result.text]) {
          Promise.resolve(promised).catch(() => {});
        }
        for await (const part of result.fullStream) {
          if (part.type !== 'text-delta') continue;
          stop.abort();
          break;
        }
      },
    },
  };
}

export const aiSdk: Client[] = [anthropic, openAiChat, openAiResponses, compatible, openRouter].map((provider) =>
  clientOf(provider),
);

/** Adds an option of chat completions for which the package has no setting. */
const withSearch: typeof fetch = (address, init) => {
  const body = JSON.parse(init!.body as string) as object;
  return fetch(address, { ...init, body: JSON.stringify({ ...body, web_search_options: {} }) });
};

/** Requests a search, checks the answer, and sends it back in another turn. */
async function searchWith(provider: Provider, subject: Subject): Promise<void> {
  const question = ask(provider, subject, searched.question);
  const result = streamText({ ...question, ...provider.searching!(subject) });
  const text = await collect(result.fullStream);
  assert.match(text, /./);
  assert.doesNotMatch(text, /\[\d+\]/);
  if (provider.reads.sources) {
    assert.ok((await result.sources).some((source) => source.sourceType === 'url' && source.url !== ''));
  }
  const next = ask(provider, subject, searched.next, searched.nextDirectives);
  const messages = [...question.messages, ...(await result.response).messages, ...next.messages];
  const second = await generateText({ ...question, messages });
  assert.match(second.text, /And now\?/);
}

/** Requests a search, checks its results and citations, and sends all of it back in another turn. */
async function search(subject: Subject): Promise<void> {
  const { tools: own } = createAnthropic(addressOf(subject));
  const webSearch = { web_search: own.webSearch_20250305({ maxUses: MAX_SEARCHES }) };
  const question = ask(anthropic, subject, searched.question);
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

  const next = ask(anthropic, subject, searched.next, searched.nextDirectives);
  const messages = [...question.messages, ...(await result.response).messages, ...next.messages];
  const second = await generateText({ ...next, tools: webSearch, messages });
  assert.match(second.text, /And now\?/);
}

/** Returns the number of searches, for which the SDK has no type. */
async function searchesOf(metadata: PromiseLike<ProviderMetadata | undefined>): Promise<unknown> {
  const usage = (await metadata)?.['anthropic']?.['usage'] as { server_tool_use?: { web_search_requests: number } };
  return usage.server_tool_use?.web_search_requests;
}

/**
 * Collects the text of a stream.
 * @throws {Error} for an error in the stream
 */
async function collect(parts: AsyncIterable<{ type: string; text?: string; error?: unknown }>): Promise<string> {
  let text = '';
  for await (const part of parts) {
    if (part.type === 'error') throw new Error(JSON.stringify(part.error));
    if (part.type === 'text-delta') text += part.text;
  }
  return text;
}
