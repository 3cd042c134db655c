import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { countPrompt } from '../../inference/estimates/count-prompt.ts';
import { messagesJson, messagesRequestSchema } from '../../messages/schema.ts';
import type { CountAnswer } from './shape.ts';

export const accepts = { body: messagesRequestSchema, ...messagesJson };

export const handler = defineEndpoint('count-tokens', accepts, async (input) =>
  jsonResponse<CountAnswer>(200, await countPrompt(input)),
);
