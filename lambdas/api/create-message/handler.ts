import { defineEndpoint } from '../../http/define-endpoint.ts';
import { messagesRequestSchema } from '../../messages/schema.ts';
import { createMessage } from './create-message.ts';

export const handler = defineEndpoint('create-message', { body: messagesRequestSchema }, createMessage);
