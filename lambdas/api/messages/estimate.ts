import { estimateMessage } from '../../inference/estimates/estimate-message.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import { estimateEndpoint } from '../parts/estimate-endpoint.ts';

const rules = { body: messagesRequestSchema, ...messagesJson };

export const { accepts, handler } = estimateEndpoint('estimate-message', rules, estimateMessage);
