import { z } from 'zod';
import { messagesRequestSchema } from '../../../lambdas/messages/schema.ts';
import type { RouteName } from '../../../lambdas/routes.ts';
import { messageExample, messagesBodyExample } from '../examples.ts';
import { ok, type Operation } from '../operation.ts';
import { messageShape } from '../shapes.ts';

const inferenceRefusals = [402, 404, 408, 413, 429, 500, 502, 503, 504, 529] as const;

export const inferenceOperations = {
  'create-message': {
    tag: 'Inference',
    summary: 'Generate a message',
    description:
      'The Messages API of Anthropic, over any model of the catalog. With `stream: true` the answer is a stream of server-sent events; an error after the first byte is an `error` event. `usage.cost` is in RUB.',
    request: { body: messagesRequestSchema },
    bodyExample: messagesBodyExample,
    success: {
      ...ok('The message, or its events.', messageShape, messageExample),
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    refusals: inferenceRefusals,
  },
  'count-tokens': {
    tag: 'Inference',
    summary: 'Count the tokens of a prompt',
    request: { body: messagesRequestSchema },
    bodyExample: messagesBodyExample,
    success: ok(
      'The count; `estimated` when the provider has none of its own.',
      z.strictObject({ input_tokens: z.int().nonnegative(), estimated: z.literal(true).optional() }),
      { input_tokens: 9 },
    ),
    refusals: inferenceRefusals.filter((status) => status !== 402),
  },
} satisfies Partial<Record<RouteName, Operation>>;
