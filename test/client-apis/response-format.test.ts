import { expect, it } from 'vitest';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { ResponseWriter } from '../../lambdas/client-apis/responses/stream-events.ts';
import { wholeResponse } from '../../lambdas/client-apis/responses/whole-response.ts';
import type { MessageBody, MessagesEvent } from '../../lambdas/messages/types.ts';
import { dataIn } from '../support/sse-client.ts';

const message: MessageBody = {
  id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  type: 'message',
  role: 'assistant',
  model: 'sandbox/claude',
  content: [],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
const events: MessagesEvent[] = [
  { type: 'message_start', message: { ...message, stop_reason: null } },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 1 },
  },
  { type: 'message_stop' },
];
const named = { name: 'joke', strict: true, schema: { type: 'object', properties: { setup: { type: 'string' } } } };
const format = { type: 'json_schema', ...named };

it.each([
  ['text.format', { text: { format } }, format],
  ['response_format', { response_format: { type: 'json_schema', json_schema: named } }, format],
  ['text.format of type json_object', { text: { format: { type: 'json_object' } } }, { type: 'json_object' }],
  ['no format', {}, { type: 'text' }],
])('a response repeats the format of a request with %s, streamed or not', (_, fields, expected) => {
  const call = responsesRequestSchema.parse({ model: 'sandbox/claude', input: 'Hello', ...fields });
  const writer = new ResponseWriter({ generationId: message.id, model: message.model }, call);

  const streamed = dataIn([Buffer.from(events.map((event) => writer.write(event)).join(''))]);
  const responses = streamed.map((data) => (JSON.parse(data) as { response: object }).response);

  for (const response of [...responses, wholeResponse(message, call)])
    expect(response).toMatchObject({ text: { format: expected } });
  expect(responses).toHaveLength(3);
});
