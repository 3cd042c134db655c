import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { chatFieldNames } from '../../lambdas/client-apis/chat/field-names.ts';
import { responsesFieldNames } from '../../lambdas/client-apis/responses/field-names.ts';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { withClientFieldName } from '../../lambdas/client-apis/field-names.ts';
import { GatewayError, invalidRequest } from '../../lambdas/platform/errors.ts';

const picture = 'data:image/png;base64,iVBORw0KGgo=';

function fieldAt(path: string, names: Parameters<typeof withClientFieldName>[1]): unknown {
  const error = withClientFieldName(invalidRequest(path, 'does not work on this model'), names) as GatewayError;
  expect(error.message).toContain(`${String(error.metadata['field'])}: does not work`);
  return error.metadata['field'];
}

describe('a field that the engine refuses, in a chat', () => {
  const { origins } = chatRequestSchema.parse({
    model: 'sandbox/claude',
    messages: [
      { role: 'system', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: picture },
        ],
      },
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url', image_url: picture }] },
      { role: 'user', content: 'And?' },
    ],
  });

  it.each([
    ['a part of the user', 'messages.0.content.1.type', 'messages.1.content.1'],
    ['a field inside of a part', 'messages.0.content.1.source.media_type', 'messages.1.content.1'],
    ['a call', 'messages.1.content.0.type', 'messages.2'],
    ['a part of a result', 'messages.2.content.0.content.0.type', 'messages.3'],
    ['a text', 'messages.3.content', 'messages.4'],
  ])('has the name that the client sent: %s', (_what, path, field) => {
    expect(fieldAt(path, chatFieldNames({ origins, hasItems: false }))).toBe(field);
  });
});

describe('a field that the engine refuses, in a response', () => {
  const { origins } = responsesRequestSchema.parse({
    model: 'sandbox/claude',
    input: [
      { role: 'developer', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What?' },
          { type: 'input_image', image_url: picture },
        ],
      },
      { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_image', image_url: picture }] },
      { role: 'user', content: 'And?' },
    ],
  });

  it.each([
    ['a part of the user', 'messages.0.content.1.type', 'input.1.content.1'],
    ['a call', 'messages.1.content.0.type', 'input.2'],
    ['a part of a result', 'messages.2.content.0.content.0.type', 'input.3'],
    ['a text', 'messages.3.content.0.type', 'input.4'],
    ['the conversation', 'messages', 'input'],
    ['stop sequences', 'stop_sequences', 'stop'],
  ])('has the name that the client sent: %s', (_what, path, field) => {
    expect(fieldAt(path, responsesFieldNames(origins))).toBe(field);
  });
});
