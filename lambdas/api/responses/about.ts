import { ok, providerErrors, tagged } from '../../http/about.ts';
import { countedEstimate, estimateAbout } from '../parts/about.ts';
import { inputTokensAnswer, responseAnswer } from './shape.ts';

const body = { model: 'sandbox/gpt', input: 'Hello!' };

const moreExamples = {
  'A stream, with instructions and a conversation': {
    ...body,
    stream: true,
    instructions: 'You are a helpful guide. Answer in one sentence.',
    input: [
      { role: 'user', content: 'Which river flows through Moscow?' },
      { role: 'assistant', content: 'The Moskva.' },
      { role: 'user', content: 'And through Paris?' },
    ],
  },
  'A function that the model may call': {
    ...body,
    tools: [
      {
        type: 'function',
        name: 'get_weather',
        description: 'Returns the weather in a city. Call it whenever somebody asks about the weather.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ],
    input: 'What is the weather in Kazan?',
  },
  'An answer in JSON that fits a schema': {
    ...body,
    text: {
      format: {
        type: 'json_schema',
        name: 'person',
        schema: {
          type: 'object',
          properties: { name: { type: 'string' }, age: { type: 'integer' } },
          required: ['name', 'age'],
          additionalProperties: false,
        },
      },
    },
    input: 'Ann is 31 years old.',
  },
  'Thinking before the answer': {
    ...body,
    model: 'sandbox/claude',
    reasoning: { effort: 'low', summary: 'auto' },
    input: 'How many primes are there below 100?',
  },
  'A search of the web by the model': { ...body, tools: [{ type: 'web_search' }], input: 'What is new in Node.js?' },
};

const example = {
  id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  object: 'response',
  created_at: 1_795_206_289,
  completed_at: 1_795_206_290,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'sandbox/gpt',
  output: [
    {
      type: 'message',
      id: 'msg_01a1faa27c1e7b9a8f003d5c1a2b4c6d0000',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello! How can I help?', annotations: [], logprobs: [] }],
    },
  ],
  output_text: 'Hello! How can I help?',
  store: false,
  usage: {
    input_tokens: 4,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 8,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 12,
    cost: 0.0132,
  },
};

/** The example's response object at the start of its stream. */
const begun = { ...example, completed_at: null, status: 'in_progress', output: [], output_text: '', usage: undefined };
const [message] = example.output;
const place = { item_id: message!.id, output_index: 0, content_index: 0 };
const { text } = message!.content[0]!;

const stream = (
  [
    ['response.created', { response: begun }],
    ['response.in_progress', { response: begun }],
    ['response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } }],
    ['response.content_part.added', { ...place, part: { ...message!.content[0], text: '' } }],
    ['response.output_text.delta', { ...place, delta: text, logprobs: [] }],
    ['response.output_text.done', { ...place, text, logprobs: [] }],
    ['response.content_part.done', { ...place, part: message!.content[0] }],
    ['response.output_item.done', { output_index: 0, item: message }],
    ['response.completed', { response: example }],
  ] as const
)
  .map(
    ([type, fields], index) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: index, ...fields })}\n\n`,
  )
  .join('');

const events = {
  'response.created': 'The beginning: the response without its output.',
  'response.in_progress': 'The same response again, because clients of the Responses API expect both events.',
  'response.output_item.added': 'An item begins. `output_index` counts them.',
  'response.content_part.added': 'The text of a message begins.',
  'response.output_text.delta': 'A piece of the text.',
  'response.output_text.annotation.added': 'A page that the text cites.',
  'response.output_text.done': 'The text is whole.',
  'response.content_part.done': 'The whole text again, as a part of its message.',
  'response.reasoning_summary_part.added': 'Thinking that is shown begins.',
  'response.reasoning_summary_text.delta': 'A piece of the thinking.',
  'response.reasoning_summary_text.done': 'The thinking is whole.',
  'response.reasoning_summary_part.done': 'The whole thinking again, as a part of its item.',
  'response.function_call_arguments.delta': 'A piece of the arguments of a call.',
  'response.function_call_arguments.done': 'The arguments are whole.',
  'response.custom_tool_call_input.delta': 'The whole input of a custom tool, in one piece.',
  'response.custom_tool_call_input.done': 'The same input again, as the end of it.',
  'response.web_search_call.in_progress': 'A search of the gateway was made.',
  'response.web_search_call.searching': 'The same search, because clients expect both events.',
  'response.web_search_call.completed': 'Its results are there.',
  'response.refusal.delta': 'The model has refused without a word.',
  'response.refusal.done': 'The same refusal again, as the end of it.',
  'response.output_item.done': 'The item is whole.',
  'response.completed': 'The end: the response with all items, its tokens, and their cost: `usage.cost`, in RUB.',
  'response.incomplete': 'The end, if a limit has ended the answer: the response with the items that there are.',
  error: 'What went wrong. What was written until then is charged.',
  'response.failed': 'The end after an `error`: the response, with the same error in `error`.',
};

export const responses = tagged('Inference', {
  'create-response': {
    summary: 'Create a response',
    chargedOnce: true,
    description:
      'The Responses API of OpenAI, for every model of the catalog: Codex, OpenAI’s SDKs and the clients that are built on them work with this base URL and a key of the gateway. No answer is kept: every request carries the whole conversation, with the items of earlier answers unchanged. `usage.cost` is the price in RUB.',
    bodyExample: body,
    moreExamples,
    errors: [...providerErrors, 'payment_required'],
    success: {
      ...ok('The response, or its events where `stream` is true.', responseAnswer, example),
      maybeLate: true,
      content: { 'text/event-stream': { schema: { type: 'string' }, example: stream, 'x-events': events } },
    },
  },
  'count-input-tokens': {
    summary: 'Count the tokens of an input',
    description:
      'Counts the tokens of the input of a request to `POST /responses`, for `responses.input_tokens.count` of OpenAI’s SDKs. No model answers, and it costs nothing.',
    bodyExample: body,
    success: ok('The number of tokens; `estimated` is true if the provider does not count.', inputTokensAnswer, {
      object: 'response.input_tokens',
      input_tokens: 9,
    }),
    errors: providerErrors,
  },
  'estimate-response': estimateAbout({
    summary: 'Estimate a response',
    path: '/responses',
    more: countedEstimate,
    bodyExample: body,
  }),
});
