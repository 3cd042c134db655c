import { z } from 'zod';
import { messagesRequestSchema } from '../../../lambdas/messages/schema.ts';
import type { RouteName } from '../../../lambdas/routes.ts';
import { messageExample, messagesBodyExample } from '../examples.ts';
import { ok, type Operation } from '../operation.ts';
import { messageShape } from '../shapes.ts';

const providerErrors = ['not_found', 'provider_unavailable', 'timeout', 'provider_overloaded'] as const;

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
    errors: [...providerErrors, 'payment_required'],
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
    errors: providerErrors,
  },
} satisfies Partial<Record<RouteName, Operation>>;
