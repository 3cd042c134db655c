import { ok, tagged } from '../../http/about.ts';
import { countAnswer, messageAnswer } from './shape.ts';

const body = {
  model: 'sandbox/claude',
  max_tokens: 200,
  messages: [{ role: 'user', content: 'Hello!' }],
};

const message = {
  id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  type: 'message',
  role: 'assistant',
  model: 'sandbox/claude',
  content: [{ type: 'text', text: 'Hello! How can I help?' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 4, output_tokens: 8, cost: 0.0132 },
};

const providerErrors = ['not_found', 'provider_unavailable', 'timeout', 'provider_overloaded'] as const;

export const messages = tagged('Inference', {
  'create-message': {
    summary: 'Generate a message',
    description:
      'The Messages API of Anthropic, over any model of the catalog. With `stream: true` the answer is a stream of server-sent events; an error after the first byte is an `error` event. `usage.cost` is in RUB.',
    bodyExample: body,
    success: {
      ...ok('The message, or its events.', messageAnswer, message),
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    errors: [...providerErrors, 'payment_required'],
  },
  'count-tokens': {
    summary: 'Count the tokens of a prompt',
    bodyExample: body,
    success: ok('The count; `estimated` when the provider has none of its own.', countAnswer, { input_tokens: 9 }),
    errors: providerErrors,
  },
});
