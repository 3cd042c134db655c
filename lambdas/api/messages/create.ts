import { defineEndpoint } from '../../http/define-endpoint.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { createMessage } from './create-message.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';

export const accepts = {
  body: messagesRequestSchema,
  ...messagesJson,
  meanwhile: refreshSignals,
};

export const handler = defineEndpoint('create-message', accepts, createMessage);
