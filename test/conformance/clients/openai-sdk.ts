/**
 * Tests OpenAI's SDK with both of OpenAI's APIs. When it reads a stream, it checks that each event may follow the
 * earlier events.
 */

import assert from 'node:assert/strict';
import OpenAI from 'openai';
import {
  answerSchema,
  assertQuotedPlaces,
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

type ChatRequest = OpenAI.ChatCompletionCreateParamsNonStreaming;
type ResponsesRequest = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'input'> & {
  input: OpenAI.Responses.ResponseInput;
};

const connect = ({ gateway }: Subject) => new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });

const words = (text: string, directives = '') => `${text}\n@sandbox ${directives} delay=0`;
const schema = { name: 'weather', strict: true, schema: answerSchema };

function chat({ model }: Subject, text: string, directives = ''): ChatRequest {
  return { model, max_completion_tokens: MAX_TOKENS, messages: [{ role: 'user', content: words(text, directives) }] };
}

function chatAbout(subject: Subject, part: OpenAI.ChatCompletionContentPart): ChatRequest {
  const question = { type: 'text', text: words('What is it?') } as const;
  return { ...chat(subject, ''), messages: [{ role: 'user', content: [part, question] }] };
}

const chatTools: OpenAI.ChatCompletionFunctionTool[] = Object.entries(tools).map(([name, { description, schema }]) => ({
  type: 'function',
  function: { name, description, parameters: schema },
}));

const openAiChat: Client = {
  name: 'OpenAI SDK',
  api: 'chat completions',
  uses: {
    text: async (subject) => {
      const { choices, usage } = await connect(subject).chat.completions.create(chat(subject, 'Hello'));
      assert.match(choices[0]!.message.content!, /Hello/);
      assert.equal(choices[0]!.finish_reason, 'stop');
      assert.ok(usage!.completion_tokens > 5);
    },
    stream: async (subject) => {
      const stream = connect(subject).chat.completions.stream({ ...chat(subject, 'Привет, мир!'), stream: true });
      let streamed = '';
      stream.on('content', (delta) => (streamed += delta));
      const { choices, usage } = await stream.finalChatCompletion();
      assert.equal(choices[0]!.message.content, streamed);
      assert.match(streamed, /Привет, мир!/);
      assert.ok(usage!.completion_tokens > 5);
    },
    'tool loop': async (subject) => {
      await runChatTools(subject, chat(subject, 'Weather?', 'tools=2'), 2);
    },
    'thinking in a tool loop': async (subject) => {
      const question: ChatRequest = { ...chat(subject, 'Weather?', 'think tool'), reasoning_effort: 'low' };
      const first = await runChatTools(subject, question, 1, 'whole');
      assert.match((first as { reasoning?: string }).reasoning!, /sandbox/);
    },
    image: async (subject) => {
      const request = chatAbout(subject, { type: 'image_url', image_url: { url: pngUrl } });
      assert.match((await connect(subject).chat.completions.create(request)).choices[0]!.message.content!, /1 image/);
    },
    document: async (subject) => {
      const request = chatAbout(subject, { type: 'file', file: { filename: 'a.pdf', file_data: pdfUrl } });
      assert.ok((await connect(subject).chat.completions.create(request)).usage!.prompt_tokens >= PDF_TOKENS);
    },
    'structured output': async (subject) => {
      const response_format = { type: 'json_schema', json_schema: schema } as const;
      const request = { ...chat(subject, 'Weather?'), response_format };
      const parsed = await connect(subject).chat.completions.parse(request);
      assert.deepEqual(parsed.choices[0]!.message.parsed, structuredAnswer);
    },
    'web search': async (subject) => {
      const client = connect(subject);
      const question = chat(subject, searched.question);
      const answer = await client.chat.completions.create({ ...question, web_search_options: {} });
      const { message } = answer.choices[0]!;
      assertQuotedPlaces(
        message.content!,
        (message.annotations ?? []).map(({ url_citation: cited }) => cited),
      );

      const next = chat(subject, searched.next, searched.nextDirectives).messages;
      const second = await client.chat.completions.create({
        ...question,
        messages: [...question.messages, message, ...next],
      });
      assert.match(second.choices[0]!.message.content!, /And now\?/);
    },
    error: async (subject) => {
      const client = connect(subject);
      await assert.rejects(client.chat.completions.create(chat(subject, 'x', 'error=529')), {
        status: 529,
        type: 'overloaded_error',
      });
      const stream = client.chat.completions.stream({ ...chat(subject, 'x', 'fail'), stream: true });
      await assert.rejects(stream.finalChatCompletion(), /Overloaded/);
    },
    cancel: async (subject) => {
      const request = { ...chat(subject, 'Long', LONG_ANSWER), stream: true } as const;
      for await (const { choices } of await connect(subject).chat.completions.create(request)) {
        if (choices[0]?.delta.content) break;
      }
    },
  },
};

/** Requests tool calls, sends results, checks the final answer, and returns the message with the calls. */
async function runChatTools(
  subject: Subject,
  question: ChatRequest,
  expectedCalls: number,
  form: 'streamed' | 'whole' = 'streamed',
): Promise<OpenAI.ChatCompletionMessage> {
  const { completions } = connect(subject).chat;
  const request = { ...question, tools: chatTools };
  // The SDK's streams keep only the last piece of unknown fields, so thinking is tested without streaming.
  const first =
    form === 'whole'
      ? await completions.create(request)
      : await completions.stream({ ...request, stream: true }).finalChatCompletion();
  const { finish_reason: reason, message } = first.choices[0]!;
  const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
  assert.equal(reason, 'tool_calls');
  assert.deepEqual(
    calls.map((call) => JSON.parse(call.function.arguments) as unknown),
    toolArguments.slice(0, expectedCalls),
  );
  const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'sunny' }));
  const messages = [...question.messages, message, ...results];
  const second = await completions.create({ ...request, messages });
  assert.match(second.choices[0]!.message.content!, /tool has answered/);
  return message;
}

function ask({ model }: Subject, text: string, directives = ''): ResponsesRequest {
  return {
    model,
    max_output_tokens: MAX_TOKENS,
    store: false,
    input: [{ role: 'user', content: words(text, directives) }],
  };
}

function askAbout(subject: Subject, part: OpenAI.Responses.ResponseInputContent): ResponsesRequest {
  const question = { type: 'input_text', text: words('What is it?') } as const;
  return { ...ask(subject, ''), input: [{ role: 'user', content: [part, question] }] };
}

const responsesTools: OpenAI.Responses.FunctionTool[] = Object.entries(tools).map(
  ([name, { description, schema }]) => ({
    type: 'function',
    name,
    description,
    parameters: schema,
    strict: false,
  }),
);

const openAiResponses: Client = {
  name: 'OpenAI SDK',
  api: 'responses',
  uses: {
    text: async (subject) => {
      const { output_text, status, usage } = await connect(subject).responses.create(ask(subject, 'Hello'));
      assert.match(output_text, /Hello/);
      assert.equal(status, 'completed');
      assert.ok(usage!.output_tokens > 5);
    },
    stream: async (subject) => {
      const stream = connect(subject).responses.stream({ ...ask(subject, 'Привет, мир!'), stream: true });
      let streamed = '';
      stream.on('response.output_text.delta', ({ delta }) => (streamed += delta));
      const { output_text: text, usage } = await stream.finalResponse();
      assert.equal(text, streamed);
      assert.match(streamed, /Привет, мир!/);
      assert.ok(usage!.output_tokens > 5);
    },
    'tool loop': async (subject) => {
      await runResponsesTools(subject, ask(subject, 'Weather?', 'tools=2'), 2);
    },
    'thinking in a tool loop': async (subject) => {
      const question = {
        ...ask(subject, 'Weather?', 'think tool'),
        reasoning: { effort: 'low', summary: 'auto' },
      } as const;
      const [thinking] = await runResponsesTools(subject, question, 1);
      assert.equal(thinking?.type, 'reasoning');
      assert.match(thinking.summary.map(({ text }) => text).join(''), /sandbox/);
    },
    image: async (subject) => {
      const request = askAbout(subject, { type: 'input_image', image_url: pngUrl, detail: 'auto' });
      assert.match((await connect(subject).responses.create(request)).output_text, /1 image/);
    },
    document: async (subject) => {
      const request = askAbout(subject, { type: 'input_file', filename: 'a.pdf', file_data: pdfUrl });
      assert.ok((await connect(subject).responses.create(request)).usage!.input_tokens >= PDF_TOKENS);
    },
    'structured output': async (subject) => {
      const text = { format: { type: 'json_schema', ...schema } } as const;
      const parsed = await connect(subject).responses.parse({ ...ask(subject, 'Weather?'), text });
      assert.deepEqual(parsed.output_parsed, structuredAnswer);
    },
    'web search': async (subject) => {
      const client = connect(subject);
      const question = { ...ask(subject, searched.question), tools: [{ type: 'web_search' as const }] };
      const first = await client.responses.stream({ ...question, stream: true }).finalResponse();
      const parts = first.output.flatMap((item) => (item.type === 'message' ? item.content : []));
      const annotations = parts.flatMap((part) => (part.type === 'output_text' ? part.annotations : []));
      assert.ok(first.output.some(({ type }) => type === 'web_search_call'));
      assertQuotedPlaces(
        first.output_text,
        annotations.filter((annotation) => annotation.type === 'url_citation'),
      );

      const next = ask(subject, searched.next, searched.nextDirectives).input;
      const second = await client.responses.create({
        ...question,
        input: [...question.input, ...asInput(first.output), ...next],
      });
      assert.match(second.output_text, /And now\?/);
    },
    error: async (subject) => {
      const client = connect(subject);
      await assert.rejects(client.responses.create(ask(subject, 'x', 'error=529')), {
        status: 529,
        type: 'overloaded_error',
      });
      const stream = client.responses.stream({ ...ask(subject, 'x', 'fail'), stream: true });
      await assert.rejects(stream.finalResponse(), /Overloaded/);
    },
    cancel: async (subject) => {
      const request = { ...ask(subject, 'Long', LONG_ANSWER), stream: true } as const;
      for await (const { type } of await connect(subject).responses.create(request)) {
        if (type === 'response.output_text.delta') break;
      }
    },
  },
};

function asInput(output: OpenAI.Responses.ResponseOutputItem[]): OpenAI.Responses.ResponseInput {
  return output as OpenAI.Responses.ResponseInput;
}

/** Requests tool calls, sends results, checks the final answer, and returns the items of the first answer. */
async function runResponsesTools(
  subject: Subject,
  question: ReturnType<typeof ask>,
  expectedCalls: number,
): Promise<OpenAI.Responses.ResponseOutputItem[]> {
  const { responses } = connect(subject);
  const request = { ...question, tools: responsesTools };
  const { output } = await responses.stream({ ...request, stream: true }).finalResponse();
  const calls = output.filter((item) => item.type === 'function_call');
  assert.deepEqual(
    calls.map((call) => JSON.parse(call.arguments) as unknown),
    toolArguments.slice(0, expectedCalls),
  );
  const results = calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: 'sunny' }));
  const second = await responses.create({ ...request, input: [...question.input, ...asInput(output), ...results] });
  assert.match(second.output_text, /tool has answered/);
  return output;
}

export const openAiSdk: Client[] = [openAiChat, openAiResponses];
