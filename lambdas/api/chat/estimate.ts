import { chatJson, chatRequestSchema } from '../../client-apis/chat/request.ts';
import { chatFieldNames } from '../../client-apis/chat/field-names.ts';
import { withClientFieldName } from '../../client-apis/field-names.ts';
import { estimateMessage } from '../../inference/estimates/estimate-message.ts';
import { estimateEndpoint } from '../parts/estimate-endpoint.ts';

const rules = { body: chatRequestSchema, ...chatJson };

export const { accepts, handler } = estimateEndpoint('estimate-chat-completion', rules, ({ body: call, ...input }) =>
  estimateMessage({ ...input, body: call.message }).catch((error: unknown) => {
    throw withClientFieldName(error, chatFieldNames(call));
  }),
);
