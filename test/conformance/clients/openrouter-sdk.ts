/** Tests OpenRouter's SDK with both of OpenAI's APIs. It checks events and bodies against a schema. */

import assert from 'node:assert/strict';
import { OpenRouter } from '@openrouter/sdk';
import type {
  ChatAssistantMessage,
  ChatContentItems,
  ChatRequest,
  ChatResult,
  ChatStreamChunk,
  InputsUnion1,
  OpenResponsesResult,
  ResponsesRequest,
  StreamEvents,
} from '@openrouter/sdk/models';
import {
  answerSchema,
  LONG_ANSWER,
  MAX_TOKENS,
  pdfUrl,
  PDF_TOKENS,
  pngUrl,
  searched,
  structuredAnswer,
  toolArguments,
  tools,
  type Client,
  type Subject,
} from './client.ts';

/** Connects without retries. By default, the SDK would retry every 5xx for an hour. */
const connect = ({ gateway }: Subject) =>
  new OpenRouter({ serverURL: gateway.baseUrl, apiKey: gateway.key, retryConfig: { strategy: 'none' } });

const words = (text: string, directives = '') => `${text}\n@sandbox ${directives} delay=0`;

type ChatQuestion = ChatRequest & { stream?: false };

function chat({ model }: Subject, text: string, directives = ''): ChatQuestion {
  return { model, maxCompletionTokens: MAX_TOKENS, messages: [{ role: 'user', content: words(text, directives) }] };
}

function chatAbout(subject: Subject, part: ChatContentItems): ChatQuestion {
  const question = { type: 'text', text: words('What is it?') } as const;
  return { ...chat(subject, ''), messages: [{ role: 'user', content: [part, question] }] };
}

async function sendChat(subject: Subject, chatRequest: ChatQuestion): Promise<ChatResult> {
  return (await connect(subject).chat.send({ chatRequest })) as ChatResult;
}

async function streamChat(subject: Subject, request: ChatQuestion): Promise<AsyncIterable<ChatStreamChunk>> {
  const chatRequest = { ...request, stream: true } as const;
  return (await connect(subject).chat.send({ chatRequest })) as AsyncIterable<ChatStreamChunk>;
}

/** Returns the text of a message. The SDK's type also allows a list of parts. */
function textOf({ content }: ChatAssistantMessage): string {
  assert.ok(typeof content === 'string');
  return content;
}

const chatTools = Object.entries(tools).map(([name, { description, schema }]) => ({
  type: 'function' as const,
  function: { name, description, parameters: schema },
}));

const openRouterChat: Client = {
  name: 'OpenRouter SDK',
  api: 'chat completions',
  uses: {
    text: async (subject) => {
      const { choices, usage } = await sendChat(subject, chat(subject, 'Hello'));
      assert.match(textOf(choices[0]!.message), /Hello/);
      assert.equal(choices[0]!.finishReason, 'stop');
      assert.ok(usage!.completionTokens > 5);
      assert.equal(typeof usage!.cost, 'number');
    },
    stream: async (subject) => {
      let text = '';
      let tokens = 0;
      for await (const { choices, usage } of await streamChat(subject, chat(subject, 'Привет, мир!'))) {
        text += choices[0]?.delta.content ?? '';
        tokens += usage?.completionTokens ?? 0;
      }
      assert.match(text, /Привет, мир!/);
      assert.ok(tokens > 5);
    },
    'tool loop': async (subject) => {
      await runChatTools(subject, chat(subject, 'Weather?', 'tools=2'), 2);
    },
    'thinking in a tool loop': async (subject) => {
      const question = { ...chat(subject, 'Weather?', 'think tool'), reasoning: { effort: 'low' } } as const;
      const { reasoning, reasoningDetails } = await runChatTools(subject, question, 1);
      assert.match(reasoning!, /sandbox/);
      assert.ok(reasoningDetails!.length > 0);
    },
    image: async (subject) => {
      const { choices } = await sendChat(subject, chatAbout(subject, { type: 'image_url', imageUrl: { url: pngUrl } }));
      assert.match(textOf(choices[0]!.message), /1 image/);
    },
    document: async (subject) => {
      const file = { filename: 'a.pdf', fileData: pdfUrl };
      const { usage } = await sendChat(subject, chatAbout(subject, { type: 'file', file }));
      assert.ok(usage!.promptTokens >= PDF_TOKENS);
    },
    'structured output': async (subject) => {
      const responseFormat = {
        type: 'json_schema',
        jsonSchema: { name: 'weather', strict: true, schema: answerSchema },
      } as const;
      const { choices } = await sendChat(subject, { ...chat(subject, 'Weather?'), responseFormat });
      assert.deepEqual(JSON.parse(textOf(choices[0]!.message)), structuredAnswer);
    },
    'web search': async (subject) => {
      const question = chat(subject, searched.question);
      const { message } = (await sendChat(subject, { ...question, plugins: [{ id: 'web' }] })).choices[0]!;
      // The SDK's message has no field for annotations.
      assert.doesNotMatch(textOf(message), /^$|\[\d+\]/);

      const next = chat(subject, searched.next, searched.nextDirectives).messages;
      const second = await sendChat(subject, { ...question, messages: [...question.messages, message, ...next] });
      assert.match(textOf(second.choices[0]!.message), /And now\?/);
    },
    error: async (subject) => {
      await assert.rejects(sendChat(subject, chat(subject, 'x', 'error=529')), { statusCode: 529 });
      const messages: (string | undefined)[] = [];
      // The SDK does not throw: the last chunk has the error.
      for await (const { error } of await streamChat(subject, chat(subject, 'x', 'fail')))
        messages.push(error?.message);
      assert.match(messages.join(''), /Overloaded/);
    },
    cancel: async (subject) => {
      for await (const { choices } of await streamChat(subject, chat(subject, 'Long', LONG_ANSWER))) {
        if (choices[0]?.delta.content) break;
      }
    },
  },
};

/** Requests tool calls, sends their results, checks the final answer, and returns the message with the calls. */
async function runChatTools(
  subject: Subject,
  question: ChatQuestion,
  expectedCalls: number,
): Promise<ChatAssistantMessage> {
  const request = { ...question, tools: chatTools };
  const { finishReason, message } = (await sendChat(subject, request)).choices[0]!;
  const calls = message.toolCalls ?? [];
  assert.equal(finishReason, 'tool_calls');
  assert.deepEqual(
    calls.map((call) => JSON.parse(call.function.arguments) as unknown),
    toolArguments.slice(0, expectedCalls),
  );
  const results = calls.map(({ id }) => ({ role: 'tool' as const, toolCallId: id, content: 'sunny' }));
  const second = await sendChat(subject, { ...request, messages: [...question.messages, message, ...results] });
  assert.match(textOf(second.choices[0]!.message), /tool has answered/);
  return message;
}

type Question = Omit<ResponsesRequest, 'input' | 'stream'> & { input: InputsUnion1[] };

function ask({ model }: Subject, text: string, directives = ''): Question {
  return { model, maxOutputTokens: MAX_TOKENS, input: [{ role: 'user', content: words(text, directives) }] };
}

function askAbout(subject: Subject, part: object): Question {
  const question = { type: 'input_text', text: words('What is it?') };
  return { ...ask(subject, ''), input: [{ role: 'user', content: [part, question] } as InputsUnion1] };
}

async function send(subject: Subject, responsesRequest: Question): Promise<OpenResponsesResult> {
  return (await connect(subject).responses.send({ responsesRequest })) as OpenResponsesResult;
}

async function stream(subject: Subject, request: Question): Promise<AsyncIterable<StreamEvents>> {
  const responsesRequest = { ...request, stream: true } as const;
  return (await connect(subject).responses.send({ responsesRequest })) as AsyncIterable<StreamEvents>;
}

const responsesTools = Object.entries(tools).map(([name, { description, schema }]) => ({
  type: 'function' as const,
  name,
  description,
  parameters: schema,
  strict: false,
}));

const openRouterResponses: Client = {
  name: 'OpenRouter SDK',
  api: 'responses',
  uses: {
    text: async (subject) => {
      const { outputText, status, usage } = await send(subject, ask(subject, 'Hello'));
      assert.match(outputText!, /Hello/);
      assert.equal(status, 'completed');
      assert.ok(usage!.outputTokens > 5);
    },
    stream: async (subject) => {
      let text = '';
      let tokens = 0;
      for await (const event of await stream(subject, ask(subject, 'Привет, мир!'))) {
        if (event.type === 'response.output_text.delta') text += event.delta;
        if (event.type === 'response.completed') tokens = event.response.usage!.outputTokens;
      }
      assert.match(text, /Привет, мир!/);
      assert.ok(tokens > 5);
    },
    'tool loop': async (subject) => {
      await runTools(subject, ask(subject, 'Weather?', 'tools=2'), 2);
    },
    'thinking in a tool loop': async (subject) => {
      const reasoning = { effort: 'low', summary: 'auto' } as const;
      const [thinking] = await runTools(subject, { ...ask(subject, 'Weather?', 'think tool'), reasoning }, 1);
      assert.equal(thinking?.type, 'reasoning');
      assert.ok(thinking.encryptedContent);
    },
    image: async (subject) => {
      const part = { type: 'input_image', imageUrl: pngUrl, detail: 'auto' };
      assert.match((await send(subject, askAbout(subject, part))).outputText!, /1 image/);
    },
    document: async (subject) => {
      const part = { type: 'input_file', filename: 'a.pdf', fileData: pdfUrl };
      assert.ok((await send(subject, askAbout(subject, part))).usage!.inputTokens >= PDF_TOKENS);
    },
    'structured output': async (subject) => {
      const format = { type: 'json_schema', name: 'weather', strict: true, schema: answerSchema } as const;
      const { outputText } = await send(subject, { ...ask(subject, 'Weather?'), text: { format } });
      assert.deepEqual(JSON.parse(outputText!), structuredAnswer);
    },
    'web search': async (subject) => {
      const question: Question = { ...ask(subject, searched.question), tools: [{ type: 'web_search' }] };
      const { output, outputText } = await send(subject, question);
      assert.ok(output.some(({ type }) => type === 'web_search_call'));
      assert.doesNotMatch(outputText!, /^$|\[\d+\]/);

      const next = ask(subject, searched.next, searched.nextDirectives).input;
      const second = await send(subject, { ...question, input: [...question.input, ...asInput(output), ...next] });
      assert.match(second.outputText!, /And now\?/);
    },
    error: async (subject) => {
      await assert.rejects(send(subject, ask(subject, 'x', 'error=529')), { statusCode: 529 });
      let message = '';
      for await (const event of await stream(subject, ask(subject, 'x', 'fail'))) {
        if (event.type === 'response.failed') message = event.response.error!.message;
      }
      assert.match(message, /Overloaded/);
    },
    cancel: async (subject) => {
      for await (const { type } of await stream(subject, ask(subject, 'Long', LONG_ANSWER))) {
        if (type === 'response.output_text.delta') break;
      }
    },
  },
};

function asInput(output: OpenResponsesResult['output']): InputsUnion1[] {
  return output as InputsUnion1[];
}

/** Requests tool calls, sends their results, checks the final answer, and returns the items of the first answer. */
async function runTools(
  subject: Subject,
  question: Question,
  expectedCalls: number,
): Promise<OpenResponsesResult['output']> {
  const request: Question = { ...question, tools: responsesTools };
  const { output } = await send(subject, request);
  const calls = output.filter((item) => item.type === 'function_call');
  assert.deepEqual(
    calls.map((call) => JSON.parse(call.arguments) as unknown),
    toolArguments.slice(0, expectedCalls),
  );
  const results = calls.map(({ callId }) => ({ type: 'function_call_output' as const, callId, output: 'sunny' }));
  const second = await send(subject, { ...request, input: [...question.input, ...asInput(output), ...results] });
  assert.match(second.outputText!, /tool has answered/);
  return output;
}

export const openRouterSdk: Client[] = [openRouterChat, openRouterResponses];
