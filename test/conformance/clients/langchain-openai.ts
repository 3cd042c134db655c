/**
 * Tests LangChain's client for OpenAI with both of OpenAI's APIs. It ignores unexpected events of streams, and sends
 * the parts that it kept in the next request.
 */

import assert from 'node:assert/strict';
import { HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai';
import {
  answerSchema,
  LONG_ANSWER,
  MAX_TOKENS,
  pdf,
  PDF_TOKENS,
  pngUrl,
  searched,
  structuredAnswer,
  toolArguments,
  tools,
  type Client,
  type Subject,
} from './client.ts';
import { collectChunks, langchainUsage } from './langchain.ts';

const asks = (words: string, directives = '') => [new HumanMessage(`${words}\n@sandbox ${directives} delay=0`)];

function asksAbout(block: { type: string } & Record<string, unknown>) {
  return [new HumanMessage({ content: [block, { type: 'text', text: 'What is it?\n@sandbox delay=0' }] })];
}

const functions = Object.entries(tools).map(([name, { description, schema }]) => ({
  type: 'function' as const,
  function: { name, description, parameters: schema },
}));

export const langchainOpenAi: Client[] = [
  clientOf('chat completions', {}, { web_search_options: {} }),
  clientOf('responses', { useResponsesApi: true, zdrEnabled: true }, { tools: [{ type: 'web_search' as const }] }),
];

function clientOf(api: Client['api'], fields: ChatOpenAIFields, searching: object): Client {
  const connect = ({ gateway, model }: Subject, more: ChatOpenAIFields = {}) =>
    new ChatOpenAI({
      model,
      maxTokens: MAX_TOKENS,
      maxRetries: 0,
      apiKey: gateway.key,
      configuration: { baseURL: gateway.baseUrl },
      ...fields,
      ...more,
    });
  return {
    name: 'LangChain, @langchain/openai',
    api,
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
        const thinking = { reasoning: { effort: 'low', summary: 'auto' } } as const;
        await runTools(connect(subject, thinking), asks('Weather?', 'think tool'), 1);
      },
      image: async (subject) => {
        const image = { type: 'image_url', image_url: { url: pngUrl } };
        assert.match((await connect(subject).invoke(asksAbout(image))).text, /1 image/);
      },
      document: async (subject) => {
        const metadata = { filename: 'a.pdf' };
        const file = { type: 'file', source_type: 'base64', mime_type: 'application/pdf', data: pdf, metadata };
        const message = await connect(subject).invoke(asksAbout(file));
        assert.ok(langchainUsage(message).input_tokens >= PDF_TOKENS);
      },
      'structured output': async (subject) => {
        const structured = connect(subject).withStructuredOutput(answerSchema, { method: 'jsonSchema' });
        assert.deepEqual(await structured.invoke(asks('Weather?')), structuredAnswer);
      },
      'web search': async (subject) => {
        const model = connect(subject).withConfig(searching);
        const question = asks(searched.question);
        const first = await model.invoke(question);
        assert.doesNotMatch(first.text, /^$|\[\d+\]/);
        const second = await model.invoke([...question, first, ...asks(searched.next, searched.nextDirectives)]);
        assert.match(second.text, /And now\?/);
      },
      error: async (subject) => {
        await assert.rejects(connect(subject).invoke(asks('x', 'error=529')), { status: 529 });
        const failing = connect(subject).stream(asks('x', 'fail')).then(collectChunks);
        await assert.rejects(failing, /Overloaded/);
      },
      cancel: async (subject) => {
        for await (const chunk of await connect(subject).stream(asks('Long', LONG_ANSWER)))
          if (chunk.text !== '') break;
      },
    },
  };
}

/** Requests tool calls, sends their results, checks the final answer, and returns the message with the calls. */
async function runTools(model: ChatOpenAI, question: BaseMessage[], expectedCalls: number): Promise<AIMessageChunk> {
  const withTools = model.bindTools(functions);
  const first = await collectChunks(await withTools.stream(question));
  const calls = first.tool_calls ?? [];
  assert.deepEqual(
    calls.map(({ args }) => args),
    toolArguments.slice(0, expectedCalls),
  );
  const results = calls.map(({ id }) => new ToolMessage({ tool_call_id: id!, content: 'sunny' }));
  const second = await withTools.invoke([...question, first, ...results]);
  assert.match(second.text, /tool has answered/);
  return first;
}
