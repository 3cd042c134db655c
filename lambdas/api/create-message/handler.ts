import { defineEndpoint } from '../../http/define-endpoint.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { createMessage } from './create-message.ts';

export const handler = defineEndpoint(
  'create-message',
  { body: messagesRequestSchema, ...messagesJson },
  createMessage,
);
