import { ok, providerErrors, tagged } from '../../http/about.ts';
import { countedEstimate, estimateAbout } from '../parts/about.ts';
import { countAnswer, messageAnswer } from './shape.ts';

const body = {
  model: 'sandbox/claude',
  max_tokens: 200,
  messages: [{ role: 'user', content: 'Hello!' }],
};

const question = (content: unknown) => [{ role: 'user', content }];

/** PNG of one transparent pixel. */
const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

const moreExamples = {
  'A stream, with instructions and a conversation': {
    ...body,
    stream: true,
    system: 'You are a helpful guide. Answer in one sentence.',
    messages: [
      { role: 'user', content: 'Which river flows through Moscow?' },
      { role: 'assistant', content: 'The Moskva.' },
      { role: 'user', content: 'And through Paris?' },
    ],
  },
  'A function that the model may call': {
    ...body,
    tools: [
      {
        name: 'get_weather',
        description: 'Returns the weather in a city. Call it whenever somebody asks about the weather.',
        input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ],
    messages: question('What is the weather in Kazan?'),
  },
  'An image': {
    ...body,
    messages: question([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
      { type: 'text', text: 'What is in this image?' },
    ]),
  },
  'An answer in JSON that fits a schema': {
    ...body,
    output_config: {
      format: {
        type: 'json_schema',
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
    max_tokens: 2_000,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    messages: question('How many primes are there below 100?'),
  },
  'A search of the web by the model': {
    ...body,
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
    messages: question('What is new in Node.js?'),
  },
  'Other models, and the cheapest provider first': {
    ...body,
    models: ['sandbox/gpt'],
    provider: { sort: 'price', data_collection: 'deny' },
  },
};

const messageExample = {
  id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  type: 'message',
  role: 'assistant',
  model: 'sandbox/claude',
  content: [{ type: 'text', text: 'Hello! How can I help?' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 4, output_tokens: 8, cost: 0.0132 },
};

const events = {
  message_start:
    'The beginning: the message without its content, `model`, and the tokens of the prompt, which may be an estimate.',
  content_block_start: 'A block begins: `text`, `thinking`, `tool_use`, … `index` counts them.',
  content_block_delta:
    'A piece of the block: `text_delta`, `thinking_delta`, `signature_delta`, `input_json_delta` or `citations_delta`.',
  content_block_stop: 'The block is whole.',
  message_delta: 'Why the answer ends, its tokens, and their cost: `usage.cost`, in RUB.',
  message_stop: 'The end.',
  ping: 'Every ten seconds of silence, also before the beginning. It means nothing.',
  error:
    'In the place of the end: what went wrong, in the form of every error. What was written until then is charged.',
};

const stream = `event: message_start
data: {"type":"message_start","message":{"id":"${messageExample.id}","type":"message","role":"assistant","model":"sandbox/claude","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":4,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello! "}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":4,"output_tokens":8,"cost":0.0132}}

event: message_stop
data: {"type":"message_stop"}

`;

export const messages = tagged('Inference', {
  'create-message': {
    summary: 'Generate a message',
    chargedOnce: true,
    description:
      'The Messages API of Anthropic, over any model of the catalog. With `stream: true` the answer is a stream of server-sent events; an error after the first byte is an `error` event. `usage.cost` is in RUB.',
    bodyExample: body,
    moreExamples,
    success: {
      ...ok('The message, or its events where `stream` is true.', messageAnswer, messageExample),
      maybeLate: true,
      content: { 'text/event-stream': { schema: { type: 'string' }, example: stream, 'x-events': events } },
    },
    errors: [...providerErrors, 'payment_required'],
  },
  'count-tokens': {
    summary: 'Count the tokens of a prompt',
    description:
      'Counts the tokens of the prompt of a request to `POST /messages`. No model answers, and it costs nothing.',
    bodyExample: body,
    success: ok('The number of tokens; `estimated` is true if the provider does not count.', countAnswer, {
      input_tokens: 9,
    }),
    errors: providerErrors,
  },
  'estimate-message': estimateAbout({
    summary: 'Estimate a message',
    path: '/messages',
    more: countedEstimate,
    bodyExample: body,
  }),
});
