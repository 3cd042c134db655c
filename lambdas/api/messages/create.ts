import { defineEndpoint } from '../../http/define-endpoint.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { createMessage } from './create-message.ts';

export const accepts = { body: messagesRequestSchema, ...messagesJson };

export const handler = defineEndpoint('create-message', accepts, createMessage);
