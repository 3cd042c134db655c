import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { estimateMessage } from '../../inference/estimates/estimate-message.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';

export const accepts = { body: messagesRequestSchema, ...messagesJson, meanwhile: refreshSignals };

export const handler = defineEndpoint('estimate-message', accepts, async (input) =>
  estimateAnswer(await estimateMessage(input)),
);
