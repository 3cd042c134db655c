import { ok, providerErrors, tagged } from '../../http/about.ts';
import { countedEstimate, estimateAbout } from '../parts/about.ts';
import { chatCompletionAnswer } from './shape.ts';

const question = (content: unknown) => [{ role: 'user', content }];
const body = { model: 'sandbox/gpt', messages: question('Hello!') };

/** PNG of one transparent pixel. */
const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

const moreExamples = {
  'A stream, with instructions and a conversation': {
    ...body,
    stream: true,
    messages: [
      { role: 'system', content: 'You are a helpful guide. Answer in one sentence.' },
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
        function: {
          name: 'get_weather',
          description: 'Returns the weather in a city. Call it whenever somebody asks about the weather.',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    ],
    messages: question('What is the weather in Kazan?'),
  },
  'An image': {
    ...body,
    messages: question([
      { type: 'text', text: 'What is in this image?' },
      { type: 'image_url', image_url: { url: image } },
    ]),
  },
  'An answer in JSON that fits a schema': {
    ...body,
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'person',
        schema: {
          type: 'object',
          properties: { name: { type: 'string' }, age: { type: 'integer' } },
          required: ['name', 'age'],
          additionalProperties: false,
        },
      },
    },
    messages: question('Ann is 31 years old.'),
  },
  'Thinking before the answer': {
    ...body,
    model: 'sandbox/claude',
    reasoning: { effort: 'low' },
    messages: question('How many primes are there below 100?'),
  },
  'A search of the web by the model': {
    ...body,
    tools: [{ type: 'web_search' }],
    messages: question('What is new in Node.js?'),
  },
  'Other models, and the cheapest provider first': {
    ...body,
    models: ['sandbox/claude'],
    provider: { sort: 'price', data_collection: 'deny' },
  },
};

const example = {
  id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  object: 'chat.completion',
  created: 1_795_206_289,
  model: 'sandbox/gpt',
  provider: 'Sandbox',
  system_fingerprint: null,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello! How can I help?', refusal: null },
      finish_reason: 'stop',
      native_finish_reason: 'end_turn',
      logprobs: null,
    },
  ],
  usage: {
    prompt_tokens: 4,
    completion_tokens: 8,
    total_tokens: 12,
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
    cost: 0.0132,
  },
};

const chunk = (rest: string) =>
  `data: {"id":"${example.id}","object":"chat.completion.chunk","created":${example.created},"model":"sandbox/gpt",${rest}}\n\n`;

const stream =
  chunk('"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]') +
  chunk('"choices":[{"index":0,"delta":{"content":"Hello! How can I help?"},"finish_reason":null}]') +
  chunk('"choices":[{"index":0,"delta":{},"finish_reason":"stop","native_finish_reason":"end_turn"}]') +
  chunk('"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":8,"total_tokens":12,"cost":0.0132}') +
  'data: [DONE]\n';

const success = ok('The answer: JSON, or server-sent events with `stream`.', chatCompletionAnswer, example);

export const chat = tagged('Inference', {
  'create-chat-completion': {
    summary: 'Create a chat completion',
    description:
      'The chat completions API of OpenAI, for every model of the catalog: OpenAI’s SDKs and the clients that are built on them work with this base URL and a key of the gateway. Routing, privacy, the protection of sensitive data and billing are the same as those of `POST /messages`; `usage.cost` is the price in RUB. A stream always ends with its usage and `[DONE]`. An error in the middle of a stream is a chunk with `error` and the `finish_reason` `error`; what was written until then is charged.',
    bodyExample: body,
    moreExamples,
    errors: [...providerErrors, 'payment_required'],
    chargedOnce: true,
    success: {
      ...success,
      maybeLate: true,
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          example: stream,
        },
      },
    },
  },
  'estimate-chat-completion': estimateAbout({
    summary: 'Estimate a chat completion',
    path: '/chat/completions',
    more: countedEstimate,
    bodyExample: body,
  }),
});
