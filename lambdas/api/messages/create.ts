import { defineEndpoint } from '../../http/define-endpoint.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { answerMessage } from '../parts/answer-message.ts';
import { messagesForm } from './answer-form.ts';

export const accepts = {
  body: messagesRequestSchema,
  ...messagesJson,
  meanwhile: refreshSignals,
};

export const handler = defineEndpoint('create-message', accepts, (input) => answerMessage(input, messagesForm));
