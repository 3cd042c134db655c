import { defineEndpoint } from '../../http/define-endpoint.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { resources } from '../../resources.ts';
import { createMessage } from './create-message.ts';

export const accepts = {
  body: messagesRequestSchema,
  ...messagesJson,
  meanwhile: () => void resources.health().refresh(),
};

export const handler = defineEndpoint('create-message', accepts, createMessage);
